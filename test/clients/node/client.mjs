/** The platform's library for Node, in two releases: `node client.mjs stripe life`, `node client.mjs stripe-15 life`. ../PROGRAMS.md has the protocol. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [packageName = "stripe", mode, ...rest] = process.argv.slice(2);
const { default: Stripe } = await import(packageName);

if (mode === "verify") verify(...rest);
else if (mode === "objects") await objects();
else await life();

/** As infra/docs/compat.md says it. */
function client(key) {
  const { hostname: host, port, protocol } = new URL(process.env["CLIENT_BASE_URL"] ?? "");
  return new Stripe(key, { host, port, protocol: protocol.slice(0, -1), maxNetworkRetries: 0, telemetry: false });
}

/** Calls every method of the resources; objects themselves have none. Whatever the relay answers is fine; nobody else can be reached. */
async function objects() {
  const stripe = client(process.env["CLIENT_SECRET_KEY"] ?? "");
  // Releases of years ago send these elsewhere, whatever they are told.
  const elsewhere = packageName === "stripe-15" ? [] : ["files", "oauth"];
  const names = ["paymentIntents", "charges", "refunds", "events", "webhookEndpoints", "accounts", ...elsewhere];
  for (let made = 0; made < 3; made += 1) await stripe.paymentIntents.create({ amount: 1250, currency: "eur" });
  for (const name of names) {
    const resource = stripe[name];
    const own = Object.getOwnPropertyNames(Object.getPrototypeOf(resource)).filter((one) => one !== "constructor");
    const methods = [...new Set([...Object.keys(resource), ...own])].filter(
      (one) => typeof resource[one] === "function" && !one.startsWith("_"),
    );
    for (const method of methods) {
      await called(`${name}.${method}`, () =>
        resource[method](...(/^(?:create|list|search|token|deauthorize)$/.test(method) ? [{}] : ["none"])),
      );
    }
  }
  await called("paymentIntents.list, several pages", async () => {
    let seen = 0;
    for await (const _ of stripe.paymentIntents.list({ limit: 1 })) if (++seen > 2) break;
  });
  process.stdin.destroy();
}

async function called(name, call) {
  try {
    await call();
  } catch (error) {
    // Everything else is the relay's refusal, or an argument that the library itself does not take.
    if (error instanceof Stripe.errors.StripeConnectionError) throw new Error(`${name}: ${error.message}`);
  }
  console.log(JSON.stringify({ called: name }));
}

function verify(file, header, secret, now) {
  const stripe = new Stripe("sk_merchant_none");
  try {
    const at = now === undefined ? undefined : Number(now) * 1000;
    const event = stripe.webhooks.constructEvent(readFileSync(file), header, secret, undefined, undefined, at);
    console.log(JSON.stringify({ verified: event.id, type: event.type, object: typeof event.data.object.id === "string" }));
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error;
    console.log(JSON.stringify({ refused: error.message }));
    process.exitCode = 1;
  }
}

async function life() {
  const env = (name) => process.env[name] ?? "";
  const answers = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const step = (name) => console.log(JSON.stringify({ step: name }));
  async function ask(question) {
    console.log(JSON.stringify(question));
    const { value } = await answers.next();
    return JSON.parse(value);
  }
  const stripe = client(env("CLIENT_SECRET_KEY"));
  const { errors } = Stripe;
  const returnUrl = env("CLIENT_RETURN_URL");

  async function refused(type, call, members) {
    try {
      await call();
    } catch (error) {
      assert.ok(error instanceof type, `${error.type}: ${error.message}`);
      assert.ok(!members.type || error.type === members.type, error.type);
      for (const [name, value] of Object.entries(members)) assert.equal(error[name], value, `${name} of ${error.message}`);
      assert.match(error.requestId ?? "", /^req_/);
      return error;
    }
    assert.fail(`was not refused: ${JSON.stringify(members)}`);
  }

  async function confirmed(more = {}) {
    const created = await stripe.paymentIntents.create({ amount: 1250, currency: "eur", ...more });
    const intent = await stripe.paymentIntents.confirm(created.id, { return_url: returnUrl });
    assert.equal(intent.status, "requires_action");
    assert.equal(intent.next_action.type, "redirect_to_url");
    return intent;
  }

  async function paid(intent, card, redirectStatus) {
    const { returned } = await ask({ ask: "pay", url: intent.next_action.redirect_to_url.url, card });
    const arrived = new URL(returned);
    assert.equal(arrived.searchParams.get("payment_intent"), intent.id);
    assert.equal(arrived.searchParams.get("payment_intent_client_secret"), intent.client_secret);
    assert.equal(arrived.searchParams.get("redirect_status"), redirectStatus);
    assert.equal(arrived.searchParams.get("shop"), "1", "the shop's own query is kept");
    return stripe.paymentIntents.retrieve(intent.id);
  }

  const endpoint = await stripe.webhookEndpoints.create({
    url: env("CLIENT_HOOK_URL"),
    enabled_events: ["payment_intent.succeeded", "payment_intent.payment_failed", "charge.refunded"],
    api_version: Stripe.API_VERSION ?? "2026-10-28.endive",
  });
  assert.match(endpoint.secret, /^whsec_/);
  assert.equal((await stripe.webhookEndpoints.retrieve(endpoint.id)).secret, undefined);
  step("registers an endpoint");

  const intent = await stripe.paymentIntents.create({
    amount: 1250,
    currency: "eur",
    description: "Röstkaffee & more",
    metadata: { order: "A+1 50%" },
  });
  assert.match(intent.id, /^pi_[A-Za-z0-9]{24}$/);
  assert.equal(intent.status, "requires_payment_method");
  assert.equal(intent.livemode, false);
  assert.ok(intent.client_secret.startsWith(`${intent.id}_secret_`));
  assert.match(intent.lastResponse.requestId, /^req_/);
  step("creates an intent");

  const retrieved = await stripe.paymentIntents.retrieve(intent.id);
  assert.deepEqual(retrieved.metadata, { order: "A+1 50%" });
  assert.equal(retrieved.description, "Röstkaffee & more");
  assert.equal(retrieved.next_action, null);
  step("retrieves it");

  const updated = await stripe.paymentIntents.update(intent.id, { amount: 1300, metadata: { order: "", table: "7" } });
  assert.equal(updated.amount, 1300);
  assert.deepEqual(updated.metadata, { table: "7" });
  step("updates it");

  const open = await stripe.paymentIntents.confirm(intent.id, { return_url: returnUrl });
  assert.equal(open.status, "requires_action");
  assert.equal(open.next_action.redirect_to_url.return_url, returnUrl);
  step("confirms it");

  const succeeded = await paid(open, "4242424242424242", "succeeded");
  step("has it paid on the hosted page");

  const hook = await ask({ ask: "webhook", type: "payment_intent.succeeded", object: intent.id });
  const event = stripe.webhooks.constructEvent(hook.payload, hook.header, endpoint.secret);
  assert.equal(event.data.object.id, intent.id);
  assert.equal(event.data.object.status, "succeeded");
  step("verifies its event");
  const changed = hook.payload.replace("1300", "1301");
  assert.notEqual(changed, hook.payload);
  assert.throws(() => stripe.webhooks.constructEvent(changed, hook.header, endpoint.secret), errors.StripeSignatureVerificationError);
  step("does not verify an event that was changed");

  assert.equal(succeeded.status, "succeeded");
  assert.equal(succeeded.amount_received, 1300);
  assert.equal(succeeded.next_action, null);
  step("sees that it succeeded");

  const charge = await stripe.charges.retrieve(succeeded.latest_charge, { expand: ["payment_intent"] });
  assert.equal(charge.payment_intent.id, intent.id);
  assert.equal(charge.payment_method_details.card.last4, "4242");
  assert.equal(charge.payment_method_details.card.brand, "visa");
  assert.equal(charge.amount_captured, 1300);
  const expanded = await stripe.paymentIntents.retrieve(intent.id, { expand: ["latest_charge"] });
  assert.equal(expanded.latest_charge.id, charge.id);
  step("retrieves its charge, expanded");

  const refund = await stripe.refunds.create({ payment_intent: intent.id, reason: "requested_by_customer", metadata: { by: "till 2" } });
  assert.equal(refund.status, "succeeded");
  assert.equal(refund.amount, 1300);
  assert.equal(refund.charge, charge.id);
  assert.equal((await stripe.refunds.retrieve(refund.id)).payment_intent, intent.id);
  assert.deepEqual(
    (await stripe.refunds.list({ payment_intent: intent.id })).data.map(({ id }) => id),
    [refund.id],
  );
  const refunded = await stripe.charges.retrieve(charge.id);
  assert.equal(refunded.refunded, true);
  assert.equal(refunded.amount_refunded, 1300);
  assert.equal((await stripe.paymentIntents.retrieve(intent.id)).status, "succeeded");
  step("refunds it");
  const hookOfRefund = await ask({ ask: "webhook", type: "charge.refunded", object: charge.id });
  const eventOfRefund = stripe.webhooks.constructEvent(hookOfRefund.payload, hookOfRefund.header, endpoint.secret);
  assert.equal(eventOfRefund.data.object.amount_refunded, 1300);
  step("verifies the event of the refund");

  const listed = [];
  for (let n = 1; n <= 5; n += 1) listed.unshift((await stripe.paymentIntents.create({ amount: 100 + n, currency: "eur" })).id);
  const seen = [];
  for await (const { id } of stripe.paymentIntents.list({ limit: 2, created: { gte: intent.created } })) seen.push(id);
  assert.equal(new Set(seen).size, seen.length, "no intent comes twice");
  assert.deepEqual(
    seen.filter((id) => listed.includes(id)),
    listed,
    "newest first",
  );
  assert.ok(seen.includes(intent.id));
  step("lists several pages");

  const events = await stripe.events.list({ type: "payment_intent.succeeded", limit: 100 });
  assert.ok(events.data.some(({ id }) => id === event.id));
  assert.equal((await stripe.events.retrieve(event.id)).data.object.id, intent.id);
  step("lists events");

  const held = await paid(await confirmed({ capture_method: "manual" }), "5555555555554444", "succeeded");
  assert.equal(held.status, "requires_capture");
  assert.equal(held.amount_capturable, 1250);
  const captured = await stripe.paymentIntents.capture(held.id, { amount_to_capture: 500 });
  assert.equal(captured.status, "succeeded");
  assert.equal(captured.amount_received, 500);
  assert.equal(captured.amount_capturable, 0);
  step("captures a part");

  const canceled = await stripe.paymentIntents.cancel(listed[0], { cancellation_reason: "abandoned" });
  assert.equal(canceled.status, "canceled");
  assert.equal(canceled.cancellation_reason, "abandoned");
  assert.equal(typeof canceled.canceled_at, "number");
  step("cancels");

  const declined = await paid(await confirmed(), "4000000000000002", "failed");
  assert.equal(declined.status, "requires_payment_method");
  assert.equal(declined.last_payment_error.type, "card_error");
  assert.equal(declined.last_payment_error.code, "card_declined");
  assert.equal(declined.last_payment_error.decline_code, "generic_decline");
  const again = await stripe.paymentIntents.confirm(declined.id, { return_url: returnUrl });
  assert.equal((await paid(again, "4111111111111111", "succeeded")).status, "succeeded");
  step("sees a declined card, and pays with another");

  const poor = await paid(await confirmed(), "4000000000009995", "failed");
  assert.equal(poor.last_payment_error.decline_code, "insufficient_funds");
  step("sees insufficient funds");
  const left = await paid(await confirmed(), "cancel", "canceled");
  assert.equal(left.status, "requires_payment_method");
  assert.equal(left.last_payment_error.code, "payment_method_customer_decline");
  step("sees that the buyer cancelled");
  const late = await paid(await confirmed(), "4000000000000069", "failed");
  assert.equal(late.last_payment_error.code, "payment_intent_payment_attempt_expired");
  step("sees that the payment expired");

  await refused(errors.StripeInvalidRequestError, () => stripe.paymentIntents.create({ currency: "eur" }), {
    statusCode: 400,
    code: "parameter_missing",
    param: "amount",
  });
  step("is told which parameter is missing");
  await refused(errors.StripeInvalidRequestError, () => stripe.paymentIntents.retrieve("pi_000000000000000000000000"), {
    statusCode: 404,
    code: "resource_missing",
    param: "intent",
  });
  step("is told what does not exist");
  const state = await refused(errors.StripeInvalidRequestError, () => stripe.paymentIntents.confirm(intent.id, { return_url: returnUrl }), {
    statusCode: 400,
    code: "payment_intent_unexpected_state",
  });
  assert.equal(state.payment_intent.id, intent.id);
  step("is told that the status does not allow it");
  await refused(errors.StripeAuthenticationError, () => client("sk_merchant_wrong").paymentIntents.list(), { statusCode: 401 });
  step("is refused with a wrong key");
  await refused(
    errors.StripePermissionError,
    () => client(env("CLIENT_PUBLISHABLE_KEY")).paymentIntents.create({ amount: 1, currency: "eur" }),
    {
      statusCode: 403,
      code: "secret_key_required",
    },
  );
  step("is refused with a publishable key");

  const idempotencyKey = `key-${intent.id}`;
  const first = await stripe.paymentIntents.create({ amount: 700, currency: "eur" }, { idempotencyKey });
  const second = await stripe.paymentIntents.create({ amount: 700, currency: "eur" }, { idempotencyKey });
  assert.equal(second.id, first.id);
  assert.equal(second.lastResponse.headers["idempotent-replayed"], "true");
  await refused(errors.StripeIdempotencyError, () => stripe.paymentIntents.create({ amount: 701, currency: "eur" }, { idempotencyKey }), {
    statusCode: 400,
  });
  step("has a repeated key answered alike, and refused for another request");

  const slow = client(env("CLIENT_SLOW_KEY"));
  await refused(
    errors.StripeRateLimitError,
    async () => {
      for (let n = 0; n < 3; n += 1) await slow.paymentIntents.list();
    },
    { statusCode: 429, code: "rate_limit" },
  );
  step("is told to wait");

  if (env("CLIENT_REFUSED_KEY") !== "") {
    const shut = client(env("CLIENT_REFUSED_KEY"));
    const { id } = await shut.paymentIntents.create({ amount: 1250, currency: "eur" });
    const error = await refused(errors.StripeCardError, () => shut.paymentIntents.confirm(id, { return_url: returnUrl }), {
      statusCode: 402,
    });
    assert.equal(error.code, "card_declined");
    step("has a card error where the payment is refused at once");
  }

  assert.equal((await stripe.webhookEndpoints.del(endpoint.id)).deleted, true);
  await refused(errors.StripeInvalidRequestError, () => stripe.webhookEndpoints.retrieve(endpoint.id), { code: "resource_missing" });
  step("removes the endpoint");
  process.stdin.destroy();
}
