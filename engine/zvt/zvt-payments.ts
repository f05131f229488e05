/**
 * What the session of a cash register asks of its payments, and what it gets. The session (http/zvt) knows frames and acknowledgements; this side knows routes,
 * the durable record and the relay's commands. All codes are result codes of ZVT, in the form in which they are sent.
 */
export interface ZvtPayments {
  /** Which route a connection is on; asked when it opens (`password` null), and again with the password of a 06-00. */
  route(connection: ZvtConnection, password: string | null): ZvtRouteChoice;
  /**
   * A 06-01 that the session found no fault in. Stored when it resolves with `begun`: then comes 80-00-00, and after it `follow`. Never rejects: a store that
   * does not answer is `busy`.
   */
  begin(request: ZvtPaymentRequest): Promise<ZvtBegun>;
  /**
   * Sends the payment if it was not sent yet, and follows it to its end, for `begun` and `reattached`. It goes on after `disconnected`, too. Where this same
   * payment is reattached, whoever followed it before is told `replaced`.
   */
  follow(payment: ZvtPayment, follower: ZvtFollower): ZvtFollowing;
  /** The register acknowledged 04-0F (80-00 or 84-00), of the payment itself or of a 06-20. Resolves when it is stored. Does not reject: it is tried again by itself. */
  delivered(payment: ZvtPayment): Promise<void>;
  /**
   * The register did not acknowledge 04-0F: no answer in 5 s, or its socket closed. The result is kept for it. Also for one that was begun where the socket
   * closed before 80-00-00 was written, and `follow` was not called: nothing is sent then.
   */
  undelivered(payment: ZvtPayment): Promise<void>;
  /** The register answered an approved 04-0F with another 84 (or 84-9D, or ten times 84-9C): delivered, and an item for operators. */
  refusedByRegister(payment: ZvtPayment, code: number): Promise<void>;
  /** For 06-20. */
  lastReceipt(routeId: string): Promise<ZvtLastReceipt>;
  /** For 05-01, 06-70 and 06-93. Does not reject: what cannot be asked is `offline`, and does not answer. */
  status(routeId: string): Promise<ZvtStatus>;
}

/** A socket of a register. */
export interface ZvtConnection {
  /** Unique on this node while it runs. */
  id: string;
  /** The port of ours that it came to. */
  port: number;
  /** IPv4, or IPv6; an IPv4 address in the form of IPv6 is written as IPv4. */
  address: string;
}

/** What the session needs to know of a route. */
export interface ZvtRoute {
  routeId: string;
  /** Eight digits for bitmap 29. */
  tid: string;
  /** 06-01 is refused with 6B until a 06-00 brings the right password; false where there is none, or it was given: keep what `route` said last. */
  needsPassword: boolean;
}

/**
 * `route`: this one; where `needsPassword`, ask again with the password of 06-00 before it may pay. `password`: several, of which a password tells; ask again.
 * `wrongPassword`: the third closes. `none`: close, log, count.
 */
export type ZvtRouteChoice = { type: "route"; route: ZvtRoute } | { type: "password" } | { type: "wrongPassword" } | { type: "none" };

export interface ZvtPaymentRequest {
  routeId: string;
  connection: ZvtConnection;
  amountCents: number;
  /** ISO 4217 number, "0978" where the register sent none. */
  currency: string;
  /** Config bit 08 was registered: the register gets 04-FF, so that its T4 does not end at 180 s. */
  intermediateStatus: boolean;
}

/** Names one payment of a route. */
export interface ZvtPayment {
  routeId: string;
  uuid: string;
}

/**
 * `begun`: 80-00-00, then `follow`. `reattached`: the same, and `replaces` is a connection of this node to close (null: none of this node's). `deliver`: 80-00-00,
 * then the outcome at once; nothing is charged. `busy`: `84 A0 00`. `refused`: 80-00-00, then `06 1E 01` with the code; nothing was stored.
 */
export type ZvtBegun =
  | { type: "begun"; payment: ZvtPayment }
  | { type: "reattached"; payment: ZvtPayment; replaces: string | null }
  | { type: "deliver"; payment: ZvtPayment; outcome: ZvtEnded; replaces: string | null }
  | { type: "busy" }
  | { type: "refused"; code: number };

/** `waiting`: not sent yet (04-FF 0E); `sent`: at the terminal (0A); `cancelling`: a cancel was asked for (0E). */
export type ZvtProgress = "waiting" | "sent" | "cancelling";

/** Calls come later than the call of `follow`, never within it. */
export interface ZvtFollower {
  /** On each change. */
  progress(progress: ZvtProgress): void;
  /** Once, and nothing after it. It is stored by then. */
  ended(outcome: ZvtOutcome): void;
  /** Another connection has taken the payment over: close, nothing more is sent to this one. Nothing comes after it. */
  replaced(): void;
}

export interface ZvtFollowing {
  /** The register acknowledged a 04-FF of this payment on this connection: it is there, and another connection is not its repeat. */
  heard(): void;
  /** 06-B0 was answered with 80-00-00: the relay's cancel. The outcome comes by `ended`, and a result always wins. */
  cancel(): void;
  /** The socket closed before `ended`: after the grace the payment is cancelled, and what comes of it is kept. The follower is not called any more. */
  disconnected(): void;
}

/** `paid`: 04-0F with 00, acknowledgement, slips, 06-0F. `notPaid`: 04-0F and slips where there is a receipt, then `06 1E 01` with the code. */
export type ZvtEnded = { type: "paid"; receipt: ZvtReceipt } | { type: "notPaid"; code: number; receipt: ZvtReceipt | null };

/** `unknown`: close without a final frame. */
export type ZvtOutcome = ZvtEnded | { type: "unknown" };

/** The members of 04-0F, before they are bytes; what is null is left out. */
export interface ZvtReceipt {
  /** 27: 00 is paid. */
  resultCode: number;
  /** 04: what the terminal says was paid. */
  amountCents: number;
  /** 0B: 0 to 999,999. */
  trace: number;
  /** 0C and 0D, in the zone of the node: milliseconds UTC. */
  atMs: number;
  /** 19 is 70 for ICC and NFC, else left out. */
  entry: "MAN" | "ICC" | "NFC" | null;
  /** 22: digits, and E for each digit that is masked; at most 19. */
  maskedPan: string | null;
  /** 29: eight digits. */
  tid: string;
  /** 3B: at most 8 ASCII characters. */
  authCode: string | null;
  /** 49: ISO 4217 number of four digits; sent only to a register that sent one. */
  currency: string;
  /** 87: 1 to 9999. */
  receiptNo: number;
  /** 8A. */
  cardType: number | null;
  /** 8B: ASCII, without the NUL. */
  cardName: string | null;
  /** 3C: what the terminal said; any characters, bounded. */
  message: string | null;
  /** The customer's copy of the slip, lines without line ends; empty where the result has none. */
  slipLines: readonly string[];
  /** The merchant's copy; absent where the result has none. */
  merchantSlipLines?: readonly string[];
}

/** `live`: a payment runs, its outcome is unknown, or the store does not answer (9C). `none`: nothing to repeat (83), or the last payment has no receipt, and its register was not told so. */
export type ZvtLastReceipt = { type: "receipt"; payment: ZvtPayment; receipt: ZvtReceipt } | { type: "live" } | { type: "none" };

/** `paying`: a payment of the route runs (9C). `offline`: its terminal is OFFLINE (DF). */
export type ZvtState = "ready" | "offline" | "paying";

export interface ZvtStatus {
  state: ZvtState;
  /** Whether the terminal is ONLINE and was heard within the last two minutes, also while a payment runs. */
  answers: boolean;
}

/** What is counted and logged of the sockets; the node has it. Words are bounded: no bytes of a register are in them. */
export interface ZvtReports {
  opened(connection: ZvtConnection): void;
  /** `routeId` null where it came to none; `reason` is one of few words (`register`, `not_zvt`, `no_route`, `too_many`, `no_ack`, `unknown_outcome`, ...); `refusals`: frames that were refused since its last command that was carried out. */
  closed(connection: ZvtConnection, routeId: string | null, reason: string, refusals: number): void;
  /** `command` as four hexadecimal digits of a command that is known, else `other`; acknowledgements are `80xx` and `84xx`. */
  frame(direction: "in" | "out", command: string): void;
  /** A command was refused, or a connection: `amount`, `currency`, `card_data`, `password`, `busy`, `not_permitted`, `unsupported`, ... */
  refused(reason: string, address: string): void;
  /** Only where `logRawBytes`: the parsed frame, card data and passwords blanked; of what cannot be parsed its length. */
  raw(connection: ZvtConnection, direction: "in" | "out", text: string): void;
}

/** What the adapter listens with. */
export interface ZvtListenOptions {
  host: string;
  /** The configured port first, then those that routes have of their own. */
  ports: readonly number[];
  maxConnections: number;
  /** Of all routes: a route with many connections leaves places to those that have none. */
  routeIds: readonly string[];
  /** Whether an address may connect at all. */
  allows(address: string): boolean;
  /** Whether an address is a proxy of the installation: its connections are kept, whatever is refused on them. */
  isProxy(address: string): boolean;
  logRawBytes: boolean;
  tls: ZvtTls | null;
}

/** PEM texts. `clientCa` null: certificates of registers are not asked for. */
export interface ZvtTls {
  cert: string;
  key: string;
  clientCa: string | null;
}
