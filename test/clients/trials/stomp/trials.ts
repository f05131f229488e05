import type { ClientTrial } from "../trial.ts";

export const STOMP_TRIALS: readonly ClientTrial[] = [];
