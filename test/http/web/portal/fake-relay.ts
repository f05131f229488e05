import type { Page, Request, Route } from "playwright-core";
import type { CompatSettingsJson } from "../../../../http/surfaces/merchant/compat-settings/schemas.ts";
import type { AuditItemJson, CallLogJson, WorkflowLogJson } from "../../../../http/surfaces/merchant/log-schemas.ts";
import type { KeysJson, NewKeysJson, PaymentMethodJson } from "../../../../http/surfaces/merchant/methods/schemas.ts";
import type { OverviewJson } from "../../../../http/surfaces/merchant/overview-schemas.ts";
import type { PaymentLinkJson } from "../../../../http/surfaces/merchant/payment-links/schemas.ts";
import type { MeJson, SessionItemJson, SessionStateJson } from "../../../../http/surfaces/merchant/sign-in/schemas.ts";
import type { InvitationJson, UserJson, UsersJson } from "../../../../http/surfaces/merchant/team/schemas.ts";
import type { TerminalItemJson, TerminalsJson } from "../../../../http/surfaces/merchant/terminal-schemas.ts";
import type { TransactionDetailJson, TransactionItemJson } from "../../../../http/surfaces/merchant/transaction-schemas.ts";
import type {
  WebhookDeliveryDetailJson,
  WebhookDeliveryJson,
  WebhookEndpointJson,
  WebhookEndpointListJson,
} from "../../../../http/surfaces/merchant/webhooks/schemas.ts";

/** What the faked interface answers: `data` with 200, or an error. */
export interface FakeAnswer {
  status?: number;
  data?: unknown;
  code?: string;
  message?: string;
}

export interface FakeRequest {
  method: string;
  /** Below the interface: `/api/merchant`, or `/admin`. */
  path: string;
  query: URLSearchParams;
  body: unknown;
  headers: Readonly<Record<string, string>>;
}

export type FakeHandler = (request: FakeRequest) => FakeAnswer | Promise<FakeAnswer>;

export const MERCHANT = { merchantId: "SHOP-001", merchantName: "Caffè Duomo", environment: "TEST", role: "OWNER" } as const;

/** The interfaces that pages call. Operators' pages and their files are below the address of theirs. */
const INTERFACES = {
  "/api/merchant": ({ pathname }: URL) => pathname.startsWith("/api/merchant/"),
  "/admin": ({ pathname }: URL) => pathname.startsWith("/admin/") && !pathname.startsWith("/admin/ui/"),
} as const;

/** An interface as the contract of its schemas says, answered in the browser's place. `calls` are all that were made. */
export async function fakeRelay(
  page: Page,
  handlers: Readonly<Record<string, FakeHandler>>,
  base: keyof typeof INTERFACES = "/api/merchant",
): Promise<{ calls: FakeRequest[] }> {
  const calls: FakeRequest[] = [];
  await page.route(INTERFACES[base], async (route: Route) => {
    const request = route.request();
    const { pathname, searchParams } = new URL(request.url());
    const path = pathname.slice(base.length);
    const made: FakeRequest = {
      method: request.method(),
      path,
      query: searchParams,
      body: bodyOf(request),
      headers: request.headers(),
    };
    calls.push(made);
    const { status, data, code, message } = await answerOf(handlers, made);
    const body = code === undefined ? { status: "ok", data } : { status: "error", error: message ?? code, message: message ?? code, code };
    await route.fulfill({
      status: status ?? (code === undefined ? 200 : 400),
      contentType: "application/json",
      body: JSON.stringify(body),
    });
  });
  return { calls };
}

/** Of what is no JSON, such as a file, its text as far as the browser tells it. */
function bodyOf(request: Request): unknown {
  const text = request.postData();
  if (text === null) return undefined;
  return request.headers()["content-type"]?.startsWith("application/json") === true ? JSON.parse(text) : text;
}

/** Handlers are named `METHOD /path`; a star stands for one segment. */
async function answerOf(handlers: Readonly<Record<string, FakeHandler>>, request: FakeRequest): Promise<FakeAnswer> {
  const wanted = `${request.method} ${request.path}`;
  for (const [name, handle] of Object.entries(handlers)) {
    if (new RegExp(`^${name.replaceAll("*", "[^/]+")}$`).test(wanted)) return await handle(request);
  }
  return { status: 404, code: "not_found", message: `The test has no ${wanted}` };
}

export function sessionOf(changes: Partial<SessionStateJson> = {}): SessionStateJson {
  return {
    stage: "full",
    methods: ["totp", "recovery"],
    email: "anna.rossi@example.com",
    userId: "usr_1",
    merchant: MERCHANT,
    merchants: [MERCHANT],
    locale: "en",
    theme: "system",
    steppedUpUntil: null,
    timeZone: "Europe/Rome",
    passkeys: true,
    mode: "sandbox",
    ...changes,
  };
}

export function signedOut(changes: Partial<SessionStateJson> = {}): SessionStateJson {
  return sessionOf({ stage: "none", methods: [], email: null, userId: null, merchant: null, merchants: [], ...changes });
}

export function userOf(changes: Partial<UserJson> = {}): UserJson {
  return {
    userId: "usr_1",
    email: "anna.rossi@example.com",
    role: "OWNER",
    state: "ACTIVE",
    you: false,
    secondFactor: true,
    invitedAt: "2026-03-02T08:00:00.000Z",
    invitationExpiresAt: null,
    joinedAt: "2026-03-02T09:30:00.000Z",
    ...changes,
  };
}

export function usersOf(...items: UserJson[]): UsersJson {
  return { items, max: 5 };
}

export const TEAM: UsersJson = usersOf(
  userOf({ you: true }),
  userOf({ userId: "usr_2", email: "marco.bianchi@example.com", role: "FINANCE" }),
  userOf({ userId: "usr_3", email: "giulia.verdi@example.com", role: "DEVELOPER", state: "DISABLED" }),
  userOf({
    userId: "usr_4",
    email: "luca.ferrari@example.com",
    role: "VIEWER",
    state: "INVITED",
    secondFactor: false,
    joinedAt: null,
    invitationExpiresAt: "2099-01-01T09:00:00.000Z",
  }),
);

export function meOf(changes: Partial<MeJson> = {}): MeJson {
  return {
    email: "anna.rossi@example.com",
    locale: "en",
    theme: "system",
    totp: true,
    passkeys: [
      { id: "pk_1", name: "Work laptop", createdAt: "2026-05-04T10:00:00.000Z", lastUsedAt: "2026-11-20T07:12:00.000Z" },
      { id: "pk_2", name: "Phone", createdAt: "2026-08-11T16:00:00.000Z", lastUsedAt: null },
    ],
    recoveryCodesLeft: 8,
    savedViews: [],
    ...changes,
  };
}

export const SESSIONS: { items: SessionItemJson[]; next: null } = {
  items: [
    {
      sessionId: "ses_1",
      current: true,
      createdAt: "2026-11-25T07:00:00.000Z",
      lastUsedAt: "2026-11-25T09:41:00.000Z",
      ipAddress: "192.0.2.10",
      userAgent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
    },
    {
      sessionId: "ses_2",
      current: false,
      createdAt: "2026-11-24T18:20:00.000Z",
      lastUsedAt: "2026-11-24T18:55:00.000Z",
      ipAddress: "198.51.100.23",
      userAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Version/18.1 Mobile/15E148 Safari/604.1",
    },
  ],
  next: null,
};

export function invitationOf(changes: Partial<InvitationJson> = {}): InvitationJson {
  return {
    email: "luca.ferrari@example.com",
    merchantName: MERCHANT.merchantName,
    role: "FINANCE",
    hasAccount: false,
    locale: "en",
    expiresAt: "2099-01-01T09:00:00.000Z",
    ...changes,
  };
}

export const RECOVERY_CODES = Array.from({ length: 10 }, (_, index) => `abcd-efg${index}-jkmn`);

export const TOTP = {
  secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
  uri: "otpauth://totp/Portal:anna?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
  qr: `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h3v3H0zM5 0h3v3H5zM0 5h3v3H0zM4 4h1v1H4zM6 6h2v2H6z"/></svg>').toString("base64")}`,
};

export function transactionOf(changes: Partial<TransactionItemJson> = {}): TransactionItemJson {
  const { status = "OK", amountMinor = 1_250, refundedMinor = 0 } = changes;
  return {
    uuid: "5b0f0f0e-1111-4222-8333-000000000001",
    createdAt: "2026-11-25T09:15:30.000Z",
    terminalId: "SIM00001",
    method: "CARD",
    ...{
      status,
      isPayment: true,
      amountMinor,
      refundState: "NONE" as const,
      refundedMinor,
      netMinor: status === "OK" ? amountMinor - refundedMinor : 0,
    },
    currency: "EUR",
    brand: "VISA",
    last4: "4242",
    authCode: "A1B2C3",
    message: "Approved",
    ...changes,
  };
}

export const TRANSACTIONS: { items: TransactionItemJson[]; next: string | null } = {
  items: [
    transactionOf(),
    transactionOf({ uuid: "5b0f0f0e-1111-4222-8333-000000000002", status: "KO", amountMinor: 123_456, message: "Insufficient funds" }),
    transactionOf({ uuid: "5b0f0f0e-1111-4222-8333-000000000003", method: "SATISPAY", brand: null, last4: null, authCode: null }),
  ],
  next: null,
};

export const TRANSACTION: TransactionDetailJson = {
  ...transactionOf(),
  actionCode: "000",
  stan: "000123",
  entry: "NFC",
  maskedPan: "************4242",
  amountDiffers: false,
  unsolicited: false,
  satispay: null,
  hasReceipt: true,
  timeline: [
    { what: "accepted", at: "2026-11-25T09:15:20.000Z", amountMinor: 1_250, state: null },
    { what: "sent", at: "2026-11-25T09:15:21.000Z", amountMinor: null, state: null },
    { what: "result", at: "2026-11-25T09:15:30.000Z", amountMinor: 1_250, state: "OK" },
  ],
  refund: { possible: false, reason: "not_refundable_here" },
  disputes: [],
  alerts: [],
};

/** A payment by link that can be given back from here. */
export const LINK_TRANSACTION: TransactionDetailJson = {
  ...transactionOf({
    uuid: "pl_aaaaaaaaaaaaaaaaaaaaaa02.1",
    method: "PAYBYLINK",
    terminalId: "CARD-1",
    amountMinor: 4_990,
    authCode: null,
  }),
  ...{ actionCode: null, stan: null, entry: null, maskedPan: "************4242", amountDiffers: false, unsolicited: false, satispay: null },
  hasReceipt: false,
  timeline: [
    { what: "accepted", at: "2026-11-25T10:00:00.000Z", amountMinor: 4_990, state: null },
    { what: "result", at: "2026-11-25T10:01:00.000Z", amountMinor: 4_990, state: "OK" },
  ],
  refund: { possible: true, reason: null },
  disputes: [],
  alerts: [],
};

export function attemptOf(changes: Partial<PaymentLinkJson["attempts"][number]> = {}): PaymentLinkJson["attempts"][number] {
  return {
    uuid: "pl_aaaaaaaaaaaaaaaaaaaaaa02.1",
    state: "paid",
    createdAt: "2026-11-25T10:00:00.000Z",
    endedAt: "2026-11-25T10:01:00.000Z",
    paidMinor: 4_990,
    paidCurrency: "EUR",
    last4: "4242",
    message: null,
    refund: "none",
    ...changes,
  };
}

export function linkOf(changes: Partial<PaymentLinkJson> = {}): PaymentLinkJson {
  return {
    id: "pl_aaaaaaaaaaaaaaaaaaaaaa01",
    url: "https://relay.example/l/abcdefghijklmnopqrstuv",
    qr: TOTP.qr,
    state: "PENDING",
    late: false,
    paidTwice: false,
    amountMinor: 4_990,
    currency: "EUR",
    description: "Two tickets for Saturday",
    reference: "ORDER-7",
    customerEmail: "chiara.conti@example.com",
    createdAt: "2026-11-25T09:00:00.000Z",
    createdBy: "anna.rossi@example.com",
    creator: "user",
    expiresAt: "2099-12-02T09:00:00.000Z",
    paidAt: null,
    cancelledAt: null,
    mails: 1,
    attempts: [],
    ...changes,
  };
}

/** A link in every state. */
export const LINKS = {
  pending: linkOf(),
  beingPaid: linkOf({
    id: "pl_aaaaaaaaaaaaaaaaaaaaaa09",
    attempts: [
      attemptOf({ uuid: "pl_aaaaaaaaaaaaaaaaaaaaaa09.1", state: "open", endedAt: null, paidMinor: null, paidCurrency: null, last4: null }),
    ],
  }),
  paid: linkOf({ id: "pl_aaaaaaaaaaaaaaaaaaaaaa02", state: "PAID", paidAt: "2026-11-25T10:01:00.000Z", attempts: [attemptOf()] }),
  late: linkOf({
    ...{ id: "pl_aaaaaaaaaaaaaaaaaaaaaa03", state: "PAID", late: true },
    ...{ paidAt: "2026-11-25T10:01:00.000Z", cancelledAt: "2026-11-25T09:59:00.000Z" },
    attempts: [attemptOf({ uuid: "pl_aaaaaaaaaaaaaaaaaaaaaa03.1" })],
  }),
  twice: linkOf({
    ...{ id: "pl_aaaaaaaaaaaaaaaaaaaaaa04", state: "PAID", paidTwice: true, paidAt: "2026-11-25T10:01:00.000Z" },
    attempts: [
      attemptOf({ uuid: "pl_aaaaaaaaaaaaaaaaaaaaaa04.1" }),
      attemptOf({ uuid: "pl_aaaaaaaaaaaaaaaaaaaaaa04.2", last4: "1111", refund: "unknown" }),
    ],
  }),
  refunded: linkOf({
    ...{ id: "pl_aaaaaaaaaaaaaaaaaaaaaa05", state: "PAID", paidAt: "2026-11-25T10:01:00.000Z" },
    attempts: [attemptOf({ uuid: "pl_aaaaaaaaaaaaaaaaaaaaaa05.1", refund: "done" })],
  }),
  cancelled: linkOf({ id: "pl_aaaaaaaaaaaaaaaaaaaaaa06", state: "CANCELLED", cancelledAt: "2026-11-25T09:59:00.000Z" }),
  expired: linkOf({
    ...{ id: "pl_aaaaaaaaaaaaaaaaaaaaaa07", state: "EXPIRED", expiresAt: "2026-11-25T10:00:00.000Z", customerEmail: null, reference: null },
    ...{
      description: "A description that is long enough to have no room in one line of a narrow telephone, as people write them",
      mails: 0,
    },
    attempts: [
      attemptOf({
        ...{ uuid: "pl_aaaaaaaaaaaaaaaaaaaaaa07.1", state: "failed", paidMinor: null, paidCurrency: null, last4: null },
        message: "Insufficient funds",
      }),
    ],
  }),
} as const;

export const PAYMENT_LINKS: { items: PaymentLinkJson[]; next: string | null } = {
  items: Object.values(LINKS).map((link) => ({ ...link, qr: null })),
  next: null,
};

/** The answer to a link's address, by the id in it. */
export function linkAt({ path }: FakeRequest): FakeAnswer {
  const link = Object.values(LINKS).find(({ id }) => path.split("/")[2] === id);
  return link === undefined ? { status: 404, code: "not_found" } : { data: link };
}

const sums = (volumeMinor: number, approved: number, declined: number) => ({ currency: "EUR", volumeMinor, approved, declined });

type TaskJson = OverviewJson["tasks"][number];

export function taskOf(changes: Pick<TaskJson, "kind" | "subject"> & Partial<TaskJson>): TaskJson {
  return {
    ...{ at: "2026-11-25T08:00:00.000Z", dueAt: null, amountMinor: null, currency: null, category: null, code: null, message: null },
    ...{ terminalId: null, about: null, ...changes },
  };
}

export const OVERVIEW: OverviewJson = {
  day: "2026-11-25",
  asOf: "2026-11-25T12:00:00.000Z",
  complete: false,
  today: [sums(184_500, 61, 4)],
  before: [sums(171_200, 58, 3)],
  hours: [8, 9, 10, 11, 12].map((hour) => ({ hour, ...sums(20_000 + hour * 1_700, 12, 1) })),
  hoursBefore: [8, 9, 10, 11, 12].map((hour) => ({ hour, ...sums(18_000 + hour * 1_600, 11, 1) })),
  byMethod: [
    { method: "CARD", ...sums(150_000, 50, 4) },
    { method: "SATISPAY", ...sums(34_500, 11, 0) },
  ],
  byTerminal: [
    { terminalId: "SIM00001", ...sums(120_000, 40, 3) },
    { terminalId: "SIM00002", ...sums(64_500, 21, 1) },
  ],
  terminals: { online: 1, total: 2 },
  figuresAvailable: true,
  openingHours: "payments",
  tasks: [],
};

export function terminalsOf(connectionStatus: TerminalItemJson["connectionStatus"] = "ONLINE"): TerminalsJson {
  const first: TerminalItemJson = {
    terminalId: "SIM00001",
    connectionStatus,
    connectionType: connectionStatus === "ONLINE" ? "WEBSOCKET" : null,
    connectedSince: connectionStatus === "ONLINE" ? "2026-11-25T06:00:00.000Z" : null,
    lastSeen: "2026-11-25T12:00:00.000Z",
    model: "SIM-1",
    appVersion: "1.0.0",
    group: null,
    lastResult: transactionOf(),
  };
  const second: TerminalItemJson = {
    ...first,
    terminalId: "SIM00002",
    connectionStatus: "NEVER_CONNECTED",
    lastSeen: null,
    lastResult: null,
  };
  return { items: [first, second], resultsAway: false, asOf: "2026-11-25T12:00:00.000Z" };
}

export const WORKFLOW_LOG: { items: WorkflowLogJson[]; next: null } = {
  items: [
    {
      ...{ id: "3", at: "2026-11-25T11:00:03.120Z", objectType: "payment_link", objectId: "plk_8d8f5k2m9q4r7s1t3u6v8w0x" },
      ...{ event: "link.cancelled", from: "PENDING", to: "CANCELLED", outcome: "done", requestId: "0f6f1d380c3b-2k" },
    },
    {
      ...{ id: "2", at: "2026-11-25T11:00:02.000Z", objectType: "link", objectId: "2f6f1d38-0c3b-4b6d-9d1e-0b0d8d6b1a51" },
      ...{ event: "verify.answered", from: "watching", to: "success", outcome: "done", requestId: null },
    },
    {
      ...{ id: "1", at: "2026-11-25T11:00:01.000Z", objectType: "link", objectId: "2f6f1d38-0c3b-4b6d-9d1e-0b0d8d6b1a51" },
      ...{ event: "followUp.requested", from: "watching", to: "watching", outcome: "refused", requestId: "till-7.42" },
    },
  ],
  next: null,
};

export const CALL_LOG: { items: CallLogJson[]; next: null } = {
  items: [
    {
      ...{ id: "3", at: "2026-11-25T11:00:03.120Z", target: "webhook", operation: "payment_link.cancelled", host: "shop.example:8443" },
      ...{
        objectId: "evt_1d8f5k2m9q4r7s1t3u6v8w0x",
        httpStatus: 503,
        outcome: "failed",
        detail: "answered 503",
        ms: 1_204,
        requestId: null,
      },
    },
    {
      ...{ id: "2", at: "2026-11-25T11:00:02.000Z", target: "gateway", operation: "verify", host: "gateway.example" },
      ...{ objectId: "2f6f1d38-0c3b-4b6d-9d1e-0b0d8d6b1a51", httpStatus: 200, outcome: "done", detail: null, ms: 84, requestId: null },
    },
    {
      ...{ id: "1", at: "2026-11-25T11:00:01.000Z", target: "gateway", operation: "refund", host: "gateway.example" },
      ...{
        objectId: "2f6f1d38-0c3b-4b6d-9d1e-0b0d8d6b1a51",
        httpStatus: null,
        outcome: "failed",
        detail: "no answer within 8000 ms",
        ms: 8_000,
      },
      requestId: "till-7.42",
    },
  ],
  next: null,
};

export const AUDIT: { items: AuditItemJson[]; next: null } = {
  items: [
    {
      id: "1",
      at: "2026-11-25T11:00:00.000Z",
      actor: "anna.rossi@example.com",
      ipAddress: "192.0.2.10",
      action: "user.invite",
      subject: "luca.ferrari@example.com",
      members: ["email", "role"],
      outcome: "done",
      code: null,
      note: "Dinner was cancelled",
      requestId: "req-1",
    },
    {
      id: "2",
      at: "2026-11-25T10:00:00.000Z",
      actor: "API key",
      ipAddress: null,
      action: "user.remove",
      subject: "usr_2",
      members: [],
      outcome: "refused",
      code: "last_owner",
      note: null,
      requestId: "req-2",
    },
  ],
  next: null,
};

export function endpointOf(changes: Partial<WebhookEndpointJson> = {}): WebhookEndpointJson {
  return {
    id: "we_1a2b3c4d5e6f7g8h9i0j1k2l",
    format: "portal",
    url: "https://shop.example/hooks",
    events: ["*"],
    description: "Order system",
    status: "enabled",
    disabledReason: null,
    formerSecretUntil: null,
    createdAt: "2026-11-20T09:30:00.000Z",
    updatedAt: "2026-11-20T09:30:00.000Z",
    ...changes,
  };
}

export const WEBHOOKS: WebhookEndpointListJson = {
  items: [
    endpointOf(),
    endpointOf({
      ...{
        id: "we_2a2b3c4d5e6f7g8h9i0j1k2l",
        format: "platform",
        url: "https://a-very-long-name-of-a-host.shop.example/plugins/payments/notify",
      },
      ...{ events: ["payment_intent.succeeded", "charge.refunded"], description: null, status: "disabled", disabledReason: "failing" },
      formerSecretUntil: "2026-11-26T09:30:00.000Z",
    }),
  ],
  max: 16,
  events: {
    portal: [
      "payment_link.paid",
      "payment_link.expired",
      "payment_link.cancelled",
      "payment.succeeded",
      "payment.failed",
      "payment.refunded",
    ],
    platform: ["payment_intent.succeeded", "payment_intent.payment_failed", "charge.refunded"],
  },
};

export function deliveryOf(changes: Partial<WebhookDeliveryJson> = {}): WebhookDeliveryJson {
  return {
    id: "evt_0d8f5k2m9q4r7s1t3u6v8w0x.we_1a2b3c4d5e6f7g8h9i0j1k2l",
    eventId: "evt_0d8f5k2m9q4r7s1t3u6v8w0x",
    eventType: "payment.succeeded",
    endpointId: "we_1a2b3c4d5e6f7g8h9i0j1k2l",
    url: "https://shop.example/hooks",
    objectId: "pl_9z8y7x6w5v4u3t2s1r0q9p8o.1",
    outcome: "FAILED",
    attempts: 2,
    lastAttemptAt: "2026-11-25T10:00:05.000Z",
    lastStatus: 500,
    nextAttemptAt: null,
    createdAt: "2026-11-25T10:00:00.000Z",
    ...changes,
  };
}

export const DELIVERIES: { items: WebhookDeliveryJson[]; next: string | null } = {
  items: [
    deliveryOf(),
    deliveryOf({ id: "evt_1d8f5k2m9q4r7s1t3u6v8w0x.we_1a2b3c4d5e6f7g8h9i0j1k2l", outcome: "DELIVERED", lastStatus: 200 }),
    deliveryOf({
      ...{ id: "evt_2d8f5k2m9q4r7s1t3u6v8w0x.we_1a2b3c4d5e6f7g8h9i0j1k2l", outcome: "PENDING", attempts: 0 },
      ...{ eventType: "payment_link.cancelled", lastStatus: null, lastAttemptAt: null, nextAttemptAt: "2026-11-25T10:01:00.000Z" },
    }),
  ],
  next: null,
};

export const DELIVERY: WebhookDeliveryDetailJson = {
  ...deliveryOf(),
  body: JSON.stringify({
    ...{ id: "evt_0d8f5k2m9q4r7s1t3u6v8w0x", type: "payment.succeeded", createdAt: "2026-11-25T10:00:00.000Z", livemode: false },
    ...{ merchantId: MERCHANT.merchantId, objectId: "pl_9z8y7x6w5v4u3t2s1r0q9p8o.1", sequence: 2 },
    data: {
      object: { object: "payment", uuid: "pl_9z8y7x6w5v4u3t2s1r0q9p8o.1", status: "SUCCEEDED", amountMinor: 1_250, currency: "EUR" },
    },
  }),
  tries: [
    { at: "2026-11-25T10:00:00.000Z", ms: 3_001, status: null, answer: null, problem: "connection refused" },
    { at: "2026-11-25T10:00:05.000Z", ms: 84, status: 500, answer: "<h1>Internal Server Error</h1>", problem: null },
  ],
};

const PEM_LENGTH_MAX = 16_384;

export function methodOf(changes: Partial<PaymentMethodJson> = {}): PaymentMethodJson {
  return {
    service: "BANCOMAT_PAY",
    description: "BANCOMAT Pay",
    enabled: true,
    configured: true,
    mode: "sandbox",
    members: [
      { name: "idPg", secret: false, maxLength: 256 },
      { name: "idNegozio", secret: false, maxLength: 256 },
      { name: "merchantName", secret: false, maxLength: 35 },
      { name: "certificate", secret: true, maxLength: PEM_LENGTH_MAX },
      { name: "privateKey", secret: true, maxLength: PEM_LENGTH_MAX },
    ],
    values: { idPg: "12345", idNegozio: "12345678901", merchantName: "Caffè Duomo", certificate: "********", privateKey: "********" },
    updatedAt: "2026-11-24T09:15:00.000Z",
    ...changes,
  };
}

export const METHODS: { items: PaymentMethodJson[] } = {
  items: [
    methodOf({ service: "IGFS", members: null, values: { apiKey: "********9f2c" }, mode: "live" }),
    methodOf({
      ...{ service: "PAYPAL", enabled: true, configured: false, mode: null, values: {}, updatedAt: null },
      members: [
        { name: "clientId", secret: false, maxLength: 256 },
        { name: "clientSecret", secret: true, maxLength: 256 },
      ],
    }),
    methodOf(),
    methodOf({ service: "BIZUM", members: null, enabled: false, configured: false, mode: null, values: {}, updatedAt: null }),
  ],
};

export const KEYS: KeysJson = {
  publishableKey: "pk_merchant_fKd93mPq7sVx1LwBt5Yz0aCe2Rg4Hj6Nn8Uo_QiT-Sk",
  secretKeyPrefix: "sk_merchant_k3Qd",
  createdAt: "2026-03-02T08:00:00.000Z",
  environment: "TEST",
  exists: true,
  pending: null,
  other: { publishableKey: null, secretKeyPrefix: null, createdAt: null, environment: "LIVE", exists: false, pending: null },
};

/** Keys that the merchant's partner asked for. */
export const PENDING_KEYS = {
  publishableKey: `pk_merchant_${"p".repeat(43)}`,
  secretKeyPrefix: "sk_merchant_p7Xw",
  createdAt: "2026-11-25T08:00:00.000Z",
  appliesAt: "2026-11-26T08:00:00.000Z",
};

export const COMPAT_SETTINGS: CompatSettingsJson = {
  defaultVersion: null,
  effectiveVersion: "2026-10-28.endive",
  returnSchemes: ["myapp"],
};

/** Put together here, as scanners of leaked secrets know the whole form. */
export const NEW_KEYS = {
  publishableKey: `pk_merchant_${"n".repeat(43)}`,
  secretKey: `sk_merchant_${"s".repeat(43)}`,
  environment: "TEST" as const,
  createdAt: "2026-11-25T09:00:00.000Z",
  made: [
    {
      ...{ type: "webhook_endpoint" as const, id: "we_1a2b3c4d5e6f7g8h9i0j1k2l", mark: "shop.example", certain: true, ended: false },
      ...{ expiresAt: null, end: "DELETE /api/merchant/webhooks/we_1a2b3c4d5e6f7g8h9i0j1k2l" },
    },
    {
      ...{ type: "agent_credential" as const, id: "ac_7d0k2m9x7q1c8v5b3n6z0a2s", mark: "x7Qa", certain: true, ended: true },
      ...{ expiresAt: "2026-12-25T10:00:00.000Z", end: null },
    },
  ],
} satisfies NewKeysJson;
