/** The limits of the relay in one place, each with its reason. Values on which callers rely are marked as part of the interface. */

/** Part of the interface: a command that no terminal fetched in this time expires. */
export const COMMAND_LIFETIME_MS = 60_000;

/**
 * A step that hands a command out is stored within this time, or not at all. Shorter than the stores' own deadlines (3 s and 5 s): a
 * command that is stored as sent later was never written to the terminal, and would end as `unknown`.
 */
export const TAKE_WITHIN_MS = 2_500;

/**
 * A poll gets its command within this time after its request, or the command is returned to the queue: a client that waits longer has most
 * likely gone.
 */
export const POLL_ANSWER_MS = 7_000;

/** The part of this time that is reserved for storing and responding: a poll that waited longer for its turn takes nothing. */
export const POLL_MARGIN_MS = 2_000;

/** A payment that was sent and has no result after this time is shown as `unknown`; a late result still counts. */
export const PAYMENT_UNKNOWN_AFTER_MS = 300_000;

/** The same for SCAN, PRINT, CANCEL and administrator commands, which end in seconds. */
export const UTILITY_UNKNOWN_AFTER_MS = 60_000;

/** Largest amount, in minor units: the twelve digits of ISO 8583, far below the limit of exact doubles. */
export const AMOUNT_MINOR_MAX = 999_999_999_999;

/** Commands that may wait for one terminal; one more is refused with 429. A till never has more than a few. */
export const QUEUED_COMMANDS_MAX = 16;

/** Commands of one terminal sent and not yet answered; at the bound nothing more is handed out and the queue fills. */
export const SENT_COMMANDS_MAX = 64;

/**
 * Part of the interface: what one sender may hold of a terminal's places, and all senders together that only rule ANY admits. Half: whoever floods
 * a terminal leaves the other half to those whom its owner has named.
 */
export const QUEUED_OF_SENDER_MAX = 8;
export const SENT_OF_SENDER_MAX = 32;

/** Senders whose latest command a terminal remembers for their `status` lookups; the least recent is forgotten. */
export const LATEST_SENDERS_MAX = 8;

/** Part of the interface: a terminal silent for longer is OFFLINE and gets no push. */
export const CONNECTION_FRESH_MS = 120_000;

/** After a NACK the same session is not offered the command again for this long, so that a busy terminal is not flooded. */
export const NACK_PAUSE_MS = 1_000;

/** Events waiting in one terminal's mailbox while a commit is under way; beyond it callers get "too busy". */
export const MAILBOX_MAX = 256;

/** Sessions of one terminal, its own and whitelisted ones; of those half, so that they never keep the terminal itself out. */
export const SESSIONS_PER_TERMINAL_MAX = 64;
export const SESSIONS_OF_OTHERS_MAX = 32;

/** Lookups waiting on one shard (`wait` on status and uuid); beyond it a lookup is answered at once. */
export const WAITERS_MAX = 20_000;

/** Longest `wait` of a lookup, in seconds. */
export const WAIT_SECONDS_MAX = 30;

/** Part of the interface: items of a page of the transactions list. */
export const TRANSACTIONS_LIMIT_DEFAULT = 100;
export const TRANSACTIONS_LIMIT_MAX = 500;

/** Deepest page of the transactions list; a longer history is read in ClickHouse. */
export const TRANSACTIONS_OFFSET_MAX = 100_000;

/** Terminal ids and uuids: long enough for any identifier in use, short enough for a key. */
export const IDENTIFIER_LENGTH_MAX = 64;

/** Body of pay, scan, print and command requests. A payment request is a few hundred bytes. */
export const COMMAND_BODY_BYTES_MAX = 16_384;

/** Body of a terminal's result, which may carry a fiscal receipt or printed slip as text. */
export const RESULT_BODY_BYTES_MAX = 65_536;

/** Log entries kept for one terminal (oldest go first) and how long each is kept. */
export const LOG_ENTRIES_PER_TERMINAL_MAX = 500;
export const LOG_BODY_BYTES_MAX = 32_768;
export const LOG_LIFETIME_MS = 30 * 86_400_000;

/** Part of the interface: how long a payment link can be paid. */
export const LINK_LIFETIME_MS = 3_600_000;

/** Part of the interface: a link without a notification is verified after the grace, and then this often. */
export const LINK_GRACE_MS = 300_000;
export const LINK_VERIFY_MS = 30_000;

/** A link whose creation the gateway has not answered is verified after this time: longer than any init takes. */
export const LINK_INIT_CHECK_MS = 20_000;

/** Minimum time between two verifies of one link that notifications or callers request. */
export const LINK_VERIFY_GAP_MS = 3_000;

/** The same after a link has ended: a late success is not urgent, and anyone can send notifications. */
export const LINK_VERIFY_GAP_ENDED_MS = 60_000;

/** Maximum number of notifications of one link that make the relay verify; after that only its own verifies remain. */
export const LINK_NOTIFICATIONS_MAX = 50;

/** Further checks after the end of a link's time, in case the buyer was just paying. */
export const LINK_LATE_CHECKS_MS = [60_000, 300_000, 1_800_000, 7_200_000, 86_400_000] as const;

/**
 * A link whose time is over while the gateway cannot be asked stays open this long and is checked less and less often; then it is given up
 * and flagged.
 */
export const LINK_UNVERIFIED_MAX_MS = 7 * 86_400_000;

/** Captures, reversals and refunds of one link. */
export const LINK_FOLLOW_UPS_MAX = 32;

/** How long a capture, reversal or refund is left to the request that executes it. */
export const LINK_FOLLOW_UP_LEASE_MS = 30_000;

/**
 * When the gateway is asked after the response to a capture, reversal or refund was lost, from the request on. If the outcome is still
 * unknown at the third time, it is reported to operators; after the last one it is left to them and to the caller.
 */
export const LINK_FOLLOW_UP_CHECKS_MS = [60_000, 300_000, 1_800_000, 7_200_000, 86_400_000, 259_200_000, 604_800_000] as const;
export const LINK_FOLLOW_UP_FLAG_MS = LINK_FOLLOW_UP_CHECKS_MS[2];

/**
 * A payment that the relay has to give back by itself is reversed at once, and while the gateway does not say what became of that again and again, each pause as long as
 * all before it, at least and at most so long. After a week it is left to operators.
 */
export const LINK_REVERSAL_PAUSE_MIN_MS = 10_000;
export const LINK_REVERSAL_PAUSE_MAX_MS = 6 * 3_600_000;
export const LINK_REVERSAL_MAX_MS = 7 * 86_400_000;

/** Free texts of a link (reason, reference, e-mail): what a payment page shows, and RFC 5321's longest address. */
export const LINK_TEXT_LENGTH_MAX = 255;
