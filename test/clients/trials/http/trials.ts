import type { ClientTrial } from "../trial.ts";

export const HTTP_TRIALS: readonly ClientTrial[] = [];
