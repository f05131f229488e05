/** How a terminal is connected, and what else a person looks for. */
export const FLEET_CONNECTIONS = ["ONLINE", "WEBSOCKET", "POLLING", "OFFLINE", "NEVER_CONNECTED", "DENIED", "WAITING"] as const;

/** When a terminal was seen last: within a time, or not for longer than it. */
export const FLEET_SEEN = ["HOUR", "DAY", "WEEK", "OVER_DAY", "OVER_WEEK", "OVER_MONTH"] as const;

/** What a roll-out has come to at a terminal. */
export const ROLLOUT_STATES = ["INSTALLED", "DOWNLOADING", "WAITING", "OFFLINE", "FAILED"] as const;

/** What administrators do to many terminals at once. */
export const FLEET_ACTIONS = ["LOGS", "SETTINGS", "INSTALL", "RESTART"] as const;

export const FLEET_ACTION_STATES = ["RUNNING", "DONE", "STOPPED"] as const;

/** What became of one terminal of an action. */
export const FLEET_OUTCOMES = ["PENDING", "SENT", "QUEUED", "APPLIED", "REFUSED", "SKIPPED"] as const;

/** Why an action did nothing at a terminal. */
export const FLEET_REFUSALS = [
  "OFFLINE",
  "NO_WEBSOCKET",
  "BUSY",
  "NOT_SUPPORTED",
  "DENIED",
  "QUEUE_FULL",
  "NOT_OFFERABLE",
  "INVALID",
  "UNAVAILABLE",
  "INTERNAL",
] as const;

/** Terminals of one action. */
export const FLEET_ACTION_TERMINALS_MAX = 1_000;

/** Terminals of an action that are handled within a second. */
export const FLEET_ACTION_PER_SECOND = 20;

/** Actions that run at the same time. */
export const FLEET_ACTIONS_RUNNING_MAX = 3;
