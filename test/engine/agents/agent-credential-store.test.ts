import { testAgentCredentialStore } from "../../contract/agent-credential-store.ts";
import { onEachEngine } from "../../contract/engines.ts";
import { credentialStoreOn } from "./world.ts";

await onEachEngine(testAgentCredentialStore, ({ kv, nowMs, close }) => ({ store: credentialStoreOn(kv), kv, nowMs, close }));
