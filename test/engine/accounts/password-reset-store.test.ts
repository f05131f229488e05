import { createPasswordResetStore } from "../../../engine/accounts/password-reset-store.ts";
import { onEachEngine } from "../../contract/engines.ts";
import { testPasswordResetStore } from "../../contract/password-reset-store.ts";

await onEachEngine(testPasswordResetStore, ({ kv, nowMs, advance, close }) => ({
  store: createPasswordResetStore(kv),
  ...{ kv, nowMs, advance, close },
}));
