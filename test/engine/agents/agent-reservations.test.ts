import { testAgentReservations } from "../../contract/agent-reservations.ts";
import { onEachEngine } from "../../contract/engines.ts";

await onEachEngine(testAgentReservations, ({ kv, nowMs, close }) => ({ kv, nowMs, close }));
