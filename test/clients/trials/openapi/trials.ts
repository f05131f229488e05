import type { ClientTrial } from "../trial.ts";

export const GENERATOR_TRIALS: readonly ClientTrial[] = [];
