/** What a terminal told of an install. */
export interface InstallLog {
  id: string;
  receivedAtMs: number;
  terminalId: string;
  versionCode: number;
  status: "completed" | "failed";
  /** JSON text of what was posted, card numbers masked. */
  body: string;
}

/** A status, a few members and a message. */
export const INSTALL_LOG_BODY_BYTES_MAX = 4_096;
export const INSTALL_LOG_LIFETIME_MS = 30 * 86_400_000;

/** Logs kept of one version code, the oldest go first: anyone may post them. */
export const INSTALL_LOGS_PER_VERSION_MAX = 1_000;

/** Where logs of versions go that are not known: together, so that made-up codes take no more room than one version. */
export const UNKNOWN_VERSION_CODE = 0;
