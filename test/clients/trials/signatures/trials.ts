import type { ClientTrial } from "../trial.ts";

export const SIGNATURE_TRIALS: readonly ClientTrial[] = [];
