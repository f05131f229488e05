import type { Endpoint } from "../../endpoint/endpoint.ts";
import { callMcp } from "./call-mcp.ts";
import type { AgentOperations } from "./surface.ts";

/** What merchants' AI agents call. */
export const agentEndpoints: Endpoint<AgentOperations>[] = [callMcp];
