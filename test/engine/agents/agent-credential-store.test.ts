import { testAgentCredentialStore } from "../../contract/agent-credential-store.ts";
import { onEachEngine } from "../../contract/engines.ts";
import { credentialsOn } from "./world.ts";

await onEachEngine(testAgentCredentialStore, ({ kv, nowMs, close }) => ({ ...credentialsOn(kv), kv, nowMs, close }));
