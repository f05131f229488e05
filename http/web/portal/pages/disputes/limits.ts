/** As DISPUTE_FILE_BYTES_MAX, DISPUTE_FILES_MAX and DISPUTE_FILES_BYTES_MAX of the engine, which decides; this is to say so before anything is sent. */
export const FILE_MEGABYTES_MAX = 10;
export const FILES_MAX = 20;
export const FILES_MEGABYTES_MAX = 50;

/** As EVIDENCE_TYPES of the engine, which looks into the contents too. */
export const EXTENSIONS = ["pdf", "png", "jpg", "jpeg", "gif", "webp", "heic", "csv", "txt", "docx", "xlsx", "doc", "xls"] as const;

/** As DISPUTE_STATEMENT_LENGTH_MAX and DISPUTE_FIELD_LENGTH_MAX of the engine, which decides; this is to say so before anything is sent. */
export const STATEMENT_LENGTH_MAX = 10_000;
export const FIELD_LENGTH_MAX = 2_000;
