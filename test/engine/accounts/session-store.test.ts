import { onEachEngine } from "../../contract/engines.ts";
import { testSessionStore } from "../../contract/session-store.ts";

await onEachEngine(testSessionStore, (opened) => opened);
