export const DISPUTE_STATES = ["OPEN", "EVIDENCE_REQUIRED", "UNDER_REVIEW", "WON", "LOST", "EXPIRED"] as const;
export const DISPUTE_STAGES = ["INQUIRY", "CHARGEBACK", "PRE_ARBITRATION"] as const;
export const DISPUTE_CATEGORIES = ["FRAUD", "NOT_RECEIVED", "NOT_AS_DESCRIBED", "DUPLICATE", "CANCELLED_RECURRING", "OTHER"] as const;
export const EVIDENCE_CATEGORIES = [
  "RECEIPT",
  "INVOICE",
  "DELIVERY",
  "CUSTOMER_COMMUNICATION",
  "REFUND_POLICY",
  "SIGNATURE",
  "SERVICE",
  "OTHER",
] as const;

/** Browsers run none of these types. A DocumentCheck searches documents for programs. */
export const EVIDENCE_TYPES = {
  pdf: "application/pdf",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  heic: "image/heic",
  csv: "text/csv",
  txt: "text/plain",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  doc: "application/msword",
  xls: "application/vnd.ms-excel",
} as const;

/** Limits stored files, and also all files that a record has at any time. */
export const DISPUTE_FILES_MAX = 20;
export const DISPUTE_FILE_BYTES_MAX = 10 * 1024 * 1024;
export const DISPUTE_FILES_BYTES_MAX = 50 * 1024 * 1024;

export const DISPUTE_STATEMENT_LENGTH_MAX = 10_000;
export const DISPUTE_FIELDS_MAX = 32;
export const DISPUTE_FIELD_LENGTH_MAX = 2_000;
