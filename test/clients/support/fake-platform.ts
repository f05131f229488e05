import { createHmac, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { WIRE_NAMES } from "../../../http/compat/wire-names.ts";
import { listening } from "./listening.ts";

/** What the fake does wrong, so that a check can be seen to fail. */
export const DEFECTS = [
  "none",
  "signs with another secret",
  "repeats an item on the next page",
  "answers 401 with a plain text as its error",
  "forgets the key of a request",
  "never refunds",
  "sends an amount as text",
  "leaves the status out",
  "sends an unknown status",
  "sends events of another release",
  "signs with the time of the event",
] as const;

export type Defect = (typeof DEFECTS)[number];

/** Members that are always null here; each text has several names. */
const nulls = (...names: string[]) => Object.fromEntries(names.flatMap((text) => text.split(" ").map((name) => [name, null])));
const NULLS_OF_INTENT = nulls(
  "allowed_payment_method_types application application_fee_amount automatic_payment_methods customer customer_account excluded_payment_method_types",
  "managed_payments on_behalf_of payment_method payment_method_configuration_details processing receipt_email review setup_future_usage shipping",
  "statement_descriptor statement_descriptor_suffix transfer_data transfer_group",
);
const NULLS_OF_CHARGE = nulls(
  "application application_fee application_fee_amount balance_transaction calculated_statement_descriptor customer description",
  "failure_balance_transaction failure_code failure_message fraud_details on_behalf_of outcome payment_method receipt_email receipt_number receipt_url",
  "review shipping source_transfer statement_descriptor statement_descriptor_suffix transfer_data transfer_group",
);
const NULLS_OF_CARD = nulls(
  "authorization_code checks country exp_month exp_year fingerprint funding installments mandate network three_d_secure wallet",
);
const NULLS_OF_REFUND = nulls(
  "balance_transaction customer customer_account payment_method receipt_number source_transfer_reversal transfer_reversal",
);

interface Intent {
  body: { [member: string]: unknown; id: string; amount: number; status: string; client_secret: string; created: number };
  charge: Charge | null;
  returnUrl: string;
}
type Charge = { [member: string]: unknown; id: string; amount: number };
type Params = { [name: string]: string };

/** Card numbers of the sandbox, and what becomes of the payment. */
const DECLINES: { [card: string]: { redirect: string; error: { [member: string]: string } } } = {
  "4000000000000002": { redirect: "failed", error: { type: "card_error", code: "card_declined", decline_code: "generic_decline" } },
  "4000000000009995": { redirect: "failed", error: { type: "card_error", code: "card_declined", decline_code: "insufficient_funds" } },
  "4000000000000069": { redirect: "failed", error: { type: "invalid_request_error", code: "payment_intent_payment_attempt_expired" } },
  cancel: { redirect: "canceled", error: { type: "invalid_request_error", code: "payment_method_customer_decline" } },
};

const PAGE = `<form method="post" id="payment"><input name="number" id="number"><input id="expiry"><input id="code"><input id="holder">
<button name="action" value="pay">Pay</button><button name="action" value="cancel">Cancel</button></form>`;

export const FAKE_KEYS = {
  secretKey: "sk_merchant_fake",
  publishableKey: "pk_merchant_fake",
  slowKey: "sk_merchant_slow",
  refusedKey: "sk_merchant_refused",
};

export interface FakePlatform {
  readonly url: string;
  /** Moves its clock, and tries again what was not delivered. */
  advance(ms: number): Promise<void>;
  stop(): Promise<void>;
}

/**
 * The least that has the whole life of a payment, in memory: programs of the official libraries pass against it, and fail against each of its defects. It is
 * there to test the tests; what the relay does is tested against the relay.
 */
export async function startFakePlatform(defect: Defect = "none"): Promise<FakePlatform> {
  const intents: Intent[] = [];
  const charges: Charge[] = [];
  const refunds: { [member: string]: unknown; id: string; payment_intent: string; charge: string }[] = [];
  const events: { [member: string]: unknown; id: string; type: string }[] = [];
  const endpoints: { [member: string]: unknown; id: string; url: string; secret: string; api_version: string }[] = [];
  const byKey = new Map<string, { request: string; status: number; body: object }>();
  const undelivered: { endpoint: (typeof endpoints)[number]; event: object & { id: string }; firstAt: number }[] = [];
  let slowCalls = 0;
  let aheadMs = 0;
  let seconds = Math.floor(Date.now() / 1000);
  let url = "";

  const id = (prefix: string) => `${prefix}_${randomBytes(12).toString("hex")}`;
  const refused = (status: number, code: string | undefined, more: object = {}, type = "invalid_request_error") => ({
    status,
    body: { error: { type, ...(code === undefined ? {} : { code }), message: `refused: ${code}`, ...more } },
  });
  const missing = (param: string) => refused(404, "resource_missing", { param });
  const ok = (body: object) => ({ status: 200, body });

  function shown({ body }: Intent, params: Params): object {
    const charge = charges.find((candidate) => candidate.id === body["latest_charge"]);
    const odd =
      defect === "sends an unknown status"
        ? { status: "pending" }
        : defect === "sends an amount as text"
          ? { amount: String(body.amount) }
          : {};
    const answer = { ...body, ...(params["expand[0]"] === "latest_charge" && charge ? { latest_charge: charge } : {}), ...odd };
    if (defect !== "leaves the status out") return answer;
    return Object.fromEntries(Object.entries(answer).filter(([member]) => member !== "status"));
  }

  async function happened(type: string, object: object): Promise<void> {
    const event = { id: id("evt"), object: "event", api_version: "", created: seconds, data: { object: structuredClone(object) } };
    const whole = { ...event, livemode: false, pending_webhooks: endpoints.length, request: { id: null, idempotency_key: null }, type };
    events.unshift(whole);
    for (const endpoint of [...endpoints]) await deliver(endpoint, whole, nowSeconds());
  }

  const nowSeconds = () => Math.floor((Date.now() + aheadMs) / 1000);

  async function deliver(endpoint: (typeof endpoints)[number], event: object & { id: string }, firstAt: number): Promise<void> {
    const version = defect === "sends events of another release" ? "2019-01-01.none" : endpoint.api_version;
    const body = JSON.stringify({ ...event, api_version: version });
    const at = defect === "signs with the time of the event" ? firstAt : nowSeconds();
    const secret = defect === "signs with another secret" ? "whsec_b3RoZXI=" : endpoint.secret;
    const hex = (text: string) => createHmac("sha256", secret).update(text).digest("hex");
    const standard = createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
      .update(`${event.id}.${at}.${body}`)
      .digest("base64");
    const headers = {
      [WIRE_NAMES.signature]: `t=${at},v1=${hex(`${at}.${body}`)}`,
      "X-Gateway-Signature": hex(body),
      "webhook-id": event.id,
      "webhook-timestamp": String(at),
      "webhook-signature": `v1,${standard}`,
    };
    const answer = await fetch(endpoint.url, { method: "POST", body, headers }).catch(() => null);
    if (answer?.ok !== true) undelivered.push({ endpoint, event, firstAt });
  }

  function metadataOf(params: Params, before: object = {}): object {
    const given = Object.entries(params).flatMap(([name, value]) => {
      const key = /^metadata\[(.+)\]$/.exec(name)?.[1];
      return key === undefined ? [] : [[key, value] as const];
    });
    return Object.fromEntries(Object.entries({ ...before, ...Object.fromEntries(given) }).filter(([, value]) => value !== ""));
  }

  function create(params: Params) {
    if (params["amount"] === undefined) return refused(400, "parameter_missing", { param: "amount" });
    const intentId = id("pi");
    seconds += 1;
    const intent: Intent = {
      charge: null,
      returnUrl: "",
      body: {
        ...NULLS_OF_INTENT,
        amount_details: {},
        payment_method_options: {},
        id: intentId,
        object: "payment_intent",
        amount: Number(params["amount"]),
        amount_capturable: 0,
        amount_received: 0,
        canceled_at: null,
        cancellation_reason: null,
        capture_method: params["capture_method"] ?? "automatic",
        client_secret: `${intentId}_secret_${randomBytes(12).toString("hex")}`,
        confirmation_method: "automatic",
        created: seconds,
        currency: params["currency"],
        description: params["description"] ?? null,
        last_payment_error: null,
        latest_charge: null,
        livemode: false,
        metadata: metadataOf(params),
        next_action: null,
        payment_method_types: ["card"],
        status: "requires_payment_method",
      },
    };
    intents.unshift(intent);
    return ok(shown(intent, params));
  }

  function onIntent(intent: Intent, action: string | undefined, params: Params) {
    const { body } = intent;
    if (action === "confirm") {
      if (body.status === "succeeded") return refused(400, "payment_intent_unexpected_state", { payment_intent: body });
      intent.returnUrl = params["return_url"] ?? "";
      const redirect = { url: `${url}/pay/${body.id}?${randomBytes(4).toString("hex")}`, return_url: intent.returnUrl };
      Object.assign(body, { status: "requires_action", next_action: { type: "redirect_to_url", redirect_to_url: redirect } });
    } else if (action === "capture") {
      Object.assign(body, { status: "succeeded", amount_received: Number(params["amount_to_capture"]), amount_capturable: 0 });
    } else if (action === "cancel") {
      Object.assign(body, { status: "canceled", canceled_at: seconds, cancellation_reason: params["cancellation_reason"] ?? null });
    } else {
      const amount = params["amount"];
      Object.assign(body, {
        ...(amount === undefined ? {} : { amount: Number(amount) }),
        metadata: metadataOf(params, Object(body["metadata"])),
      });
    }
    return ok(shown(intent, params));
  }

  async function pay(intent: Intent, card: string): Promise<string> {
    const { body } = intent;
    const decline = DECLINES[card];
    const back = new URL(intent.returnUrl);
    back.searchParams.set("payment_intent", body.id);
    back.searchParams.set("payment_intent_client_secret", body.client_secret);
    back.searchParams.set("redirect_status", decline?.redirect ?? "succeeded");
    const manual = body["capture_method"] === "manual";
    const charge: Charge = {
      ...NULLS_OF_CHARGE,
      id: id("ch"),
      object: "charge",
      amount: body.amount,
      amount_captured: decline === undefined && !manual ? body.amount : 0,
      amount_refunded: 0,
      billing_details: nulls("address email name phone tax_id"),
      captured: !manual,
      created: seconds,
      currency: body["currency"],
      disputed: false,
      livemode: false,
      metadata: {},
      paid: decline === undefined,
      refunded: false,
      status: decline === undefined ? "succeeded" : "failed",
      payment_intent: body.id,
      payment_method_details: { type: "card", card: { ...NULLS_OF_CARD, brand: "visa", last4: card.slice(-4) } },
    };
    charges.unshift(charge);
    Object.assign(body, { latest_charge: charge.id, next_action: null });
    if (decline !== undefined) {
      Object.assign(body, { status: "requires_payment_method", last_payment_error: { ...decline.error, message: "declined" } });
      await happened("payment_intent.payment_failed", body);
    } else if (manual) {
      Object.assign(body, { status: "requires_capture", amount_capturable: body.amount });
    } else {
      Object.assign(body, { status: "succeeded", amount_received: body.amount });
      await happened("payment_intent.succeeded", body);
    }
    return back.href;
  }

  function page<T extends { id: string }>(path: string, items: readonly T[], params: Params, show: (item: T) => object) {
    const start = params["starting_after"];
    const from =
      start === undefined ? 0 : items.findIndex((item) => item.id === start) + (defect === "repeats an item on the next page" ? 0 : 1);
    const limit = Number(params["limit"] ?? 10);
    const data = items.slice(from, from + limit).map(show);
    return ok({ object: "list", url: path, has_more: from + limit < items.length, data });
  }

  async function answer(method: string, path: string, params: Params): Promise<{ status: number; body: object }> {
    const [, , kind, objectId, action] = path.split("/");
    const post = method === "POST";
    switch (kind) {
      case "payment_intents": {
        if (objectId === undefined) {
          if (post) return create(params);
          const since = Number(params["created[gte]"] ?? 0);
          const items = intents.filter(({ body }) => body.created >= since).map((intent) => ({ id: intent.body.id, intent }));
          return page(path, items, params, ({ intent }) => shown(intent, {}));
        }
        const intent = intents.find(({ body }) => body.id === objectId);
        if (intent === undefined) return missing("intent");
        return post ? onIntent(intent, action, params) : ok(shown(intent, params));
      }
      case "charges": {
        const charge = charges.find((candidate) => candidate.id === objectId);
        if (charge === undefined) return missing("charge");
        const intent = intents.find(({ body }) => body.id === charge["payment_intent"]);
        return ok({ ...charge, ...(params["expand[0]"] === "payment_intent" ? { payment_intent: intent?.body } : {}) });
      }
      case "refunds": {
        const ofIntent = refunds.filter((refund) => refund.payment_intent === params["payment_intent"]);
        if (!post && objectId === undefined) return page(path, ofIntent, params, (refund) => refund);
        if (!post) return ok(refunds.find((candidate) => candidate.id === objectId) ?? missing("refund").body);
        const charge = charges.find((candidate) => candidate["payment_intent"] === params["payment_intent"]);
        if (charge === undefined) return missing("payment_intent");
        const members = {
          ...NULLS_OF_REFUND,
          object: "refund",
          reason: params["reason"] ?? null,
          amount: charge.amount,
          charge: charge.id,
          created: seconds,
          currency: charge["currency"],
        };
        const status = defect === "never refunds" ? "failed" : "succeeded";
        const refund = { ...members, id: id("re"), metadata: metadataOf(params), payment_intent: params["payment_intent"] ?? "", status };
        refunds.unshift(refund);
        Object.assign(charge, { refunded: true, amount_refunded: charge.amount });
        await happened("charge.refunded", charge);
        return ok(refund);
      }
      case "events": {
        if (objectId === undefined)
          return page(
            path,
            events.filter((event) => event.type === params["type"]),
            params,
            (event) => event,
          );
        return ok(events.find((event) => event.id === objectId) ?? missing("id").body);
      }
      case "webhook_endpoints": {
        const at = endpoints.findIndex((endpoint) => endpoint.id === objectId);
        const found = endpoints[at];
        if (found !== undefined && method === "DELETE") {
          endpoints.splice(at, 1);
          return ok({ id: objectId, object: "webhook_endpoint", deleted: true });
        }
        if (found !== undefined) return ok({ ...found, secret: undefined });
        if (objectId !== undefined) return missing("webhook_endpoint");
        const { url: hookUrl = "", api_version = "" } = params;
        const enabled = Object.entries(params).flatMap(([name, value]) => (name.startsWith("enabled_events") ? [value] : []));
        const members = {
          ...nulls("application description"),
          object: "webhook_endpoint",
          created: seconds,
          enabled_events: enabled,
          livemode: false,
          metadata: {},
          status: "enabled",
        };
        const endpoint = { ...members, id: id("we"), url: hookUrl, api_version, secret: `whsec_${randomBytes(32).toString("base64")}` };
        endpoints.push(endpoint);
        return ok(endpoint);
      }
      default:
        return refused(404, undefined);
    }
  }

  async function checked(
    request: IncomingMessage,
    target: URL,
    text: string,
  ): Promise<{ status: number; body: object; replayed?: boolean }> {
    const key = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    const params = Object.fromEntries(new URLSearchParams(text === "" ? target.search : text));
    if (key === FAKE_KEYS.publishableKey) return refused(403, "secret_key_required");
    if (key === FAKE_KEYS.slowKey) {
      slowCalls += 1;
      if (slowCalls > 2) return refused(429, "rate_limit");
    }
    if (key === FAKE_KEYS.refusedKey && target.pathname.endsWith("/confirm")) return refused(402, "card_declined", {}, "card_error");
    if (!Object.values(FAKE_KEYS).includes(key)) {
      return defect === "answers 401 with a plain text as its error"
        ? { status: 401, body: { error: "unauthorized" } }
        : refused(401, undefined);
    }
    const idempotencyKey = request.headers["idempotency-key"];
    if (typeof idempotencyKey !== "string" || defect === "forgets the key of a request")
      return answer(request.method ?? "", target.pathname, params);
    const before = byKey.get(idempotencyKey);
    const whole = `${target.pathname} ${text}`;
    if (before !== undefined && before.request !== whole) return refused(400, undefined, {}, "idempotency_error");
    if (before !== undefined) return { ...before, replayed: true };
    const first = await answer(request.method ?? "", target.pathname, params);
    byKey.set(idempotencyKey, { request: whole, ...first });
    return first;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const text = Buffer.concat(chunks).toString("utf8");
    const target = new URL(request.url ?? "/", url);
    const [, intentId] = /^\/pay\/(pi_\w+)$/.exec(target.pathname) ?? [];
    const intent = intents.find(({ body }) => body.id === intentId);
    if (intent !== undefined) {
      const form = new URLSearchParams(text);
      if (request.method === "GET") {
        response.writeHead(200, { "content-type": "text/html" }).end(PAGE);
        return;
      }
      response
        .writeHead(303, { location: await pay(intent, form.get("action") === "cancel" ? "cancel" : (form.get("number") ?? "")) })
        .end();
      return;
    }
    const { status, body, replayed } = await checked(request, target, text);
    const headers = { "content-type": "application/json", "request-id": id("req"), ...(replayed ? { "idempotent-replayed": "true" } : {}) };
    response.writeHead(status, headers).end(JSON.stringify(body));
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  const running = await listening(server);
  url = running.url;
  return {
    ...running,
    advance: async (ms) => {
      aheadMs += ms;
      for (const { endpoint, event, firstAt } of undelivered.splice(0)) await deliver(endpoint, event, firstAt);
    },
  };
}
