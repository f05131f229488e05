import { createAdministratorStore } from "../../../engine/access/administrator-store.ts";
import { createMachineTokenStore } from "../../../engine/access/machine-token-store.ts";
import { onEachEngine } from "../../contract/engines.ts";
import { testMachineTokenStore } from "../../contract/machine-token-store.ts";

await onEachEngine(testMachineTokenStore, ({ kv, close }) => ({
  store: createMachineTokenStore(kv),
  administrators: createAdministratorStore(kv),
  close,
}));
