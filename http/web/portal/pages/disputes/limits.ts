import { DISPUTE_FILE_BYTES_MAX, DISPUTE_FILES_BYTES_MAX, EVIDENCE_TYPES } from "../../../../../engine/disputes/words.ts";

const MEGABYTE = 1_048_576;
export const FILE_MEGABYTES_MAX = DISPUTE_FILE_BYTES_MAX / MEGABYTE;
export const FILES_MEGABYTES_MAX = DISPUTE_FILES_BYTES_MAX / MEGABYTE;
export const EXTENSIONS: readonly string[] = Object.keys(EVIDENCE_TYPES);
