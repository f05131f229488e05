import { testAccountStore } from "../../contract/account-store.ts";
import { onEachEngine } from "../../contract/engines.ts";

await onEachEngine(testAccountStore, (opened) => opened);
