import type { ClientTrial } from "../trial.ts";

export const CLICKHOUSE_TRIALS: readonly ClientTrial[] = [];
