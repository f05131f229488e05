import { CLICKHOUSE_TRIALS } from "./clickhouse/trials.ts";
import { HTTP_TRIALS } from "./http/trials.ts";
import { MCP_TRIALS } from "./mcp/trials.ts";
import { GENERATOR_TRIALS } from "./openapi/trials.ts";
import { SIGNATURE_TRIALS } from "./signatures/trials.ts";
import { STOMP_TRIALS } from "./stomp/trials.ts";
import type { ClientTrial } from "./trial.ts";

/** Every row of infra/docs/clients.md, in its order. */
export const CLIENT_TRIALS: readonly ClientTrial[] = [
  ...CLICKHOUSE_TRIALS,
  ...STOMP_TRIALS,
  ...HTTP_TRIALS,
  ...SIGNATURE_TRIALS,
  ...GENERATOR_TRIALS,
  ...MCP_TRIALS,
];
