import { onEachEngine } from "../../contract/engines.ts";
import { testUsualLoginStore } from "../../contract/usual-login-store.ts";

await onEachEngine(testUsualLoginStore, (opened) => opened);
