/**
 * This file contains the limits of the relay, each with its reason. The comments mark values on
 * which callers rely as part of the interface.
 */

/** Part of the interface: a command expires if no terminal fetches it within this time. */
export const COMMAND_LIFETIME_MS = 60_000;

/**
 * The transition that hands a command out is stored within this time, or not at all. It is shorter
 * than the stores' own deadlines (3 s and 5 s). A command that is stored as sent after that was
 * never written to the terminal, and would end as `unknown`.
 */
export const TAKE_WITHIN_MS = 2_500;

/**
 * A poll gets its command within this time after its request, or the command returns to the queue.
 * A client that waits longer is probably no longer connected.
 */
export const POLL_ANSWER_MS = 7_000;

/**
 * The part of this time that is reserved for storing and responding. A poll that waited longer for
 * its turn takes no command.
 */
export const POLL_MARGIN_MS = 2_000;

/**
 * A sent payment without a result is shown as `unknown` after this time. A later result still
 * counts.
 */
export const PAYMENT_UNKNOWN_AFTER_MS = 300_000;

/** The limit for SCAN, PRINT, CANCEL and administrator commands, which end in seconds. */
export const UTILITY_UNKNOWN_AFTER_MS = 60_000;

/**
 * Largest amount in minor units: the twelve digits of ISO 8583, far below the limit of exact
 * doubles.
 */
export const AMOUNT_MINOR_MAX = 999_999_999_999;

/**
 * Commands that may wait for one terminal. Another one is rejected with 429. A till never has more
 * than a few.
 */
export const QUEUED_COMMANDS_MAX = 16;

/**
 * Commands of one terminal that were sent and not yet answered. Beyond the limit no more are handed
 * out, and the queue fills.
 */
export const SENT_COMMANDS_MAX = 64;

/**
 * Part of the interface: the places of a terminal that one sender may use, and that all senders
 * admitted only by rule ANY may use together. It is half of the places, so that a flood leaves the
 * other half to the senders that the owner has named.
 */
export const QUEUED_OF_SENDER_MAX = 8;
export const SENT_OF_SENDER_MAX = 32;

/**
 * Senders whose latest command a terminal remembers for their `status` lookups. Beyond it the least
 * recent is forgotten.
 */
export const LATEST_SENDERS_MAX = 8;

/** Part of the interface: a terminal that is silent for longer is OFFLINE and gets no push. */
export const CONNECTION_FRESH_MS = 120_000;

/**
 * After a NACK the same session does not get the command again for this long, so that a busy
 * terminal is not flooded.
 */
export const NACK_PAUSE_MS = 1_000;

/** Events that wait in one terminal's mailbox during a commit. Beyond it callers get "too busy". */
export const MAILBOX_MAX = 256;

/**
 * Sessions of one terminal, its own and whitelisted ones. Whitelisted ones may use half of them, so
 * that they never keep the terminal itself out.
 */
export const SESSIONS_PER_TERMINAL_MAX = 64;
export const SESSIONS_OF_OTHERS_MAX = 32;

/**
 * Lookups that wait on one shard (`wait` on status and uuid). Beyond it a lookup is answered at
 * once.
 */
export const WAITERS_MAX = 20_000;

/** Longest `wait` of a lookup, in seconds. */
export const WAIT_SECONDS_MAX = 30;

/** Part of the interface: items on a page of the transactions list. */
export const TRANSACTIONS_LIMIT_DEFAULT = 100;
export const TRANSACTIONS_LIMIT_MAX = 500;

/** Deepest page of the transactions list. Older transactions can be read in ClickHouse. */
export const TRANSACTIONS_OFFSET_MAX = 100_000;

/** Terminal ids and uuids: the length suffices for any identifier in use, and fits a key. */
export const IDENTIFIER_LENGTH_MAX = 64;

/** Body of pay, scan, print and command requests. A payment request has a few hundred bytes. */
export const COMMAND_BODY_BYTES_MAX = 16_384;

/** Body of a terminal's result, which may contain a fiscal receipt or a printed slip as text. */
export const RESULT_BODY_BYTES_MAX = 65_536;

/**
 * Log entries that are stored for one terminal (the oldest are removed first), and how long each is
 * stored.
 */
export const LOG_ENTRIES_PER_TERMINAL_MAX = 500;
export const LOG_BODY_BYTES_MAX = 32_768;
export const LOG_LIFETIME_MS = 30 * 86_400_000;

/** Part of the interface: how long a payment link can be paid. */
export const LINK_LIFETIME_MS = 3_600_000;

/**
 * Part of the interface: a link without a notification is verified after the grace period, and then
 * at this interval.
 */
export const LINK_GRACE_MS = 300_000;
export const LINK_VERIFY_MS = 30_000;

/**
 * A link is verified after this time if the gateway has not answered its creation. It is longer
 * than any init takes.
 */
export const LINK_INIT_CHECK_MS = 20_000;

/** Minimum time between two verifies of one link that notifications or callers request. */
export const LINK_VERIFY_GAP_MS = 3_000;

/**
 * Minimum time between two verifies after a link has ended. A late success is not urgent, and
 * anyone can send notifications.
 */
export const LINK_VERIFY_GAP_ENDED_MS = 60_000;

/**
 * Maximum number of notifications of one link that make the relay verify. After that only its own
 * verifies remain.
 */
export const LINK_NOTIFICATIONS_MAX = 50;

/** Further checks after a link has expired, in case the buyer was just paying. */
export const LINK_LATE_CHECKS_MS = [60_000, 300_000, 1_800_000, 7_200_000, 86_400_000] as const;

/**
 * An expired link stays open for this long while the gateway is unavailable, and is checked less
 * and less often. Then it is given up and reported.
 */
export const LINK_UNVERIFIED_MAX_MS = 7 * 86_400_000;

/** Maximum number of captures, reversals and refunds of one link. */
export const LINK_FOLLOW_UPS_MAX = 32;

/** How long a capture, reversal or refund is reserved for the request that executes it. */
export const LINK_FOLLOW_UP_LEASE_MS = 30_000;

/**
 * When the gateway is queried after the response to a capture, reversal or refund was lost, counted
 * from the request. If the outcome is still unknown at the third query, it is reported to
 * operators. After the last query only they and the caller can resolve it.
 */
export const LINK_FOLLOW_UP_CHECKS_MS = [60_000, 300_000, 1_800_000, 7_200_000, 86_400_000, 259_200_000, 604_800_000] as const;
export const LINK_FOLLOW_UP_FLAG_MS = LINK_FOLLOW_UP_CHECKS_MS[2];

/**
 * A payment that the relay has to return automatically is reversed at once. While the gateway does
 * not report the outcome, the reversal is repeated. Each pause is as long as all previous ones
 * together, between these limits. After a week operators have to resolve it.
 */
export const LINK_REVERSAL_PAUSE_MIN_MS = 10_000;
export const LINK_REVERSAL_PAUSE_MAX_MS = 6 * 3_600_000;
export const LINK_REVERSAL_MAX_MS = 7 * 86_400_000;

/**
 * Free texts of a link (reason, reference, e-mail). A payment page can show this length, and it is
 * the longest address of RFC 5321.
 */
export const LINK_TEXT_LENGTH_MAX = 255;
