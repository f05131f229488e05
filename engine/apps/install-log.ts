/** What was told of an install. */
export interface InstallLog {
  id: string;
  receivedAtMs: number;
  /** As far as they could be read (install-report.ts). */
  terminalId: string | null;
  versionCode: number;
  status: "completed" | "failed" | null;
  /** True where it is known that the terminal itself, or one that acts for it, has told it: only then it counts. Older ones do not have it. */
  fromTerminal?: boolean;
  /** JSON text of what was posted, card numbers masked. */
  body: string;
}

/** As for a terminal's log, with room for a stack trace. */
export const INSTALL_LOG_BODY_BYTES_MAX = 16_384;
export const INSTALL_LOG_LIFETIME_MS = 30 * 86_400_000;

/**
 * Logs kept of one version code, the oldest go first: anyone may post them. Those of terminals and those of strangers each have so much room,
 * so that strangers push out nothing that counts.
 */
export const INSTALL_LOGS_PER_VERSION_MAX = 1_000;

/** Where logs go whose version is not known or cannot be read: together, so that made-up codes take no more room than one version. */
export const UNKNOWN_VERSION_CODE = 0;
