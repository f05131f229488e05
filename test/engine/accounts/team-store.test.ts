import { createTeamStore } from "../../../engine/accounts/team-store.ts";
import { onEachEngine } from "../../contract/engines.ts";
import { testTeamStore } from "../../contract/team-store.ts";

await onEachEngine(testTeamStore, ({ kv, nowMs, advance, close }) => ({ store: createTeamStore(kv), kv, nowMs, advance, close }));
