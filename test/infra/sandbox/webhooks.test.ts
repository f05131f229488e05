import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { WIRE_NAMES } from "../../../http/compat/wire-names.ts";
import { partnerSignatures, platformSignatures, portalSignatures } from "../../../http/webhooks/signatures.ts";
import { type Delivery, lineOf, startReceiver } from "../../../infra/sandbox/webhooks/receiver.ts";
import type { Verdict } from "../../../infra/sandbox/webhooks/signatures.ts";

const AT_MS = Date.UTC(2026, 0, 1, 10);
const AT_SECONDS = AT_MS / 1_000;
const newSecret = () => `whsec_${randomBytes(32).toString("base64")}`;
const [SECRET, OTHER] = [newSecret(), newSecret()];
const CLIENT_SECRET = `pi_${"b".repeat(24)}_secret_${"c".repeat(24)}`;

const EVENT = {
  id: `evt_${"a".repeat(24)}`,
  object: "event",
  type: "payment_intent.succeeded",
  created: AT_SECONDS - 5,
  data: {
    object: { id: `pi_${"b".repeat(24)}`, object: "payment_intent", client_secret: CLIENT_SECRET, receipt_email: "ada@example.org" },
  },
};
const BODY = JSON.stringify(EVENT);

/** The three headers of a delivery, made by the official library, by the one of Standard Webhooks, and by hand. */
function signed(body: string, secret: string, atSeconds = AT_SECONDS): { [header: string]: string } {
  return {
    [WIRE_NAMES.signature]: Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp: atSeconds }),
    "X-Gateway-Signature": createHmac("sha256", secret).update(body).digest("hex"),
    "webhook-id": EVENT.id,
    "webhook-timestamp": String(atSeconds),
    "webhook-signature": new Webhook(secret).sign(EVENT.id, new Date(atSeconds * 1_000), body),
  };
}

async function receiver(t: TestContext, options: { secrets?: readonly string[]; status?: number } = {}) {
  const deliveries: Delivery[] = [];
  const { url, stop } = await startReceiver({
    ...{ host: "127.0.0.1", port: 0, secrets: options.secrets ?? [SECRET], status: options.status ?? 200 },
    nowMs: () => AT_MS,
    onDelivery: (delivery) => deliveries.push(delivery),
  });
  t.after(stop);
  const post = async (headers: { [name: string]: string }, body = BODY): Promise<Delivery> => {
    const response = await fetch(`${url}/hooks`, { method: "POST", headers, body, redirect: "manual" });
    const delivery = deliveries.at(-1);
    assert.ok(delivery !== undefined, "nothing was told");
    assert.equal(response.status, delivery.status);
    return delivery;
  };
  return { url, deliveries, post };
}

const verdictsOf = ({ verdicts }: Delivery) => verdicts.map(([, verdict]) => verdict);
const ALL_HOLD: Verdict[] = Array.from({ length: 3 }, () => ({ type: "holds", secret: 0 }));
const all = (type: Exclude<Verdict["type"], "holds">): Verdict[] => Array.from({ length: 3 }, () => ({ type }));

test("a delivery is told with its event, and each of its three signatures holds", async (t) => {
  const { post } = await receiver(t);
  const delivery = await post(signed(BODY, SECRET));
  assert.deepEqual(verdictsOf(delivery), ALL_HOLD);
  assert.equal(
    lineOf(delivery),
    `2026-01-01T10:00:00.000Z  payment_intent.succeeded ${EVENT.id} ${EVENT.data.object.id}, 5 s old, attempt 1 here  [${WIRE_NAMES.signature} holds (secret 1), X-Gateway-Signature holds (secret 1), webhook-signature holds (secret 1)]  answered 200`,
  );
});

test("a changed body, a secret of somebody else and absent headers are told", async (t) => {
  const { post } = await receiver(t);
  assert.deepEqual(verdictsOf(await post(signed(BODY, SECRET), `${BODY} `)), all("wrong"));
  assert.deepEqual(verdictsOf(await post(signed(BODY, OTHER))), all("wrong"));
  assert.deepEqual(verdictsOf(await post({})), all("absent"));
  const { "webhook-id": _, ...withoutId } = signed(BODY, SECRET);
  assert.deepEqual(verdictsOf(await post(withoutId)), [...ALL_HOLD.slice(0, 2), { type: "wrong" }]);
});

test("a signature of five minutes ago still holds, an older one or one of the future does not", async (t) => {
  const { post } = await receiver(t);
  for (const seconds of [-300, 300]) assert.deepEqual(verdictsOf(await post(signed(BODY, SECRET, AT_SECONDS + seconds))), ALL_HOLD);
  for (const seconds of [-301, 301]) {
    const tooOld: Verdict = { type: "too old" };
    // The one without a time says nothing about when it was made.
    assert.deepEqual(verdictsOf(await post(signed(BODY, SECRET, AT_SECONDS + seconds))), [tooOld, ALL_HOLD[0], tooOld]);
  }
});

test("while secrets are changed over, any of them makes a signature hold", async (t) => {
  const { post } = await receiver(t, { secrets: [OTHER, SECRET] });
  const second: Verdict[] = Array.from({ length: 3 }, () => ({ type: "holds", secret: 1 }));
  assert.deepEqual(verdictsOf(await post(signed(BODY, SECRET))), second);
  // As the relay sends it then: one signature of each secret where there is room for both, and the previous one's elsewhere.
  const [mine, others] = [signed(BODY, newSecret()), signed(BODY, SECRET)];
  const [, secondV1 = ""] = (others[WIRE_NAMES.signature] ?? "").split(",");
  const both = {
    ...others,
    [WIRE_NAMES.signature]: `${mine[WIRE_NAMES.signature]},${secondV1}`,
    "webhook-signature": `${mine["webhook-signature"]} ${others["webhook-signature"]}`,
  };
  assert.deepEqual(verdictsOf(await post(both)), second);
});

test("what the relay signs holds, also while two secrets are in use, and a partner's with the partner's own", async (t) => {
  const { post } = await receiver(t, { secrets: [SECRET] });
  const message = { id: EVENT.id, body: BODY, atMs: AT_MS };
  assert.deepEqual(verdictsOf(await post(platformSignatures(message, [SECRET]))), ALL_HOLD);
  // Whoever has only the older one of two secrets is not cut off.
  assert.deepEqual(verdictsOf(await post(platformSignatures(message, [OTHER, SECRET]))), ALL_HOLD);
  // The header with room for one keeps the older one's until its time is over.
  const [platform, gateway, standard] = verdictsOf(await post(platformSignatures(message, [SECRET, OTHER])));
  assert.deepEqual([platform, gateway, standard], [ALL_HOLD[0], { type: "wrong" }, ALL_HOLD[0]]);
  const partner = await receiver(t, { secrets: ["sk_partner_0123456789"] });
  assert.deepEqual(verdictsOf(await partner.post(partnerSignatures(message, "sk_partner_0123456789")))[1], ALL_HOLD[0]);
});

test("a partner's own secret is for the gateway's header only", async (t) => {
  const secret = "sk_partner_0123456789";
  const { post } = await receiver(t, { secrets: [secret] });
  const header = { "X-Gateway-Signature": createHmac("sha256", secret).update(BODY).digest("hex") };
  assert.deepEqual(verdictsOf(await post(header)), [{ type: "absent" }, { type: "holds", secret: 0 }, { type: "absent" }]);
  assert.deepEqual(verdictsOf(await post(signed(BODY, SECRET)))[2], { type: "not checked" });
});

test("without a secret nothing is checked", async (t) => {
  const { post } = await receiver(t, { secrets: [] });
  assert.deepEqual(verdictsOf(await post(signed(BODY, SECRET))), all("not checked"));
});

test("an event that comes again is counted", async (t) => {
  const { post } = await receiver(t, { status: 500 });
  const headers = signed(BODY, SECRET);
  assert.deepEqual([(await post(headers)).times, (await post(headers)).times], [1, 2]);
  const other = JSON.stringify({ ...EVENT, id: `evt_${"z".repeat(24)}` });
  assert.equal((await post(signed(other, SECRET), other)).times, 1);
});

for (const status of [204, 307, 410, 500]) {
  test(`deliveries are answered ${status} where that is wanted`, async (t) => {
    const { post } = await receiver(t, { status });
    assert.equal((await post(signed(BODY, SECRET))).status, status);
  });
}

test("a body that is no event is told as one, and nothing of it is printed", async (t) => {
  const { post } = await receiver(t);
  for (const body of [
    "",
    "{",
    "[]",
    "null",
    '{"id":1,"type":"x"}',
    '{"id":"evt_\\u001b[2J","type":"x"}',
    JSON.stringify({ ...EVENT, id: CLIENT_SECRET }),
    JSON.stringify({ ...EVENT, type: { __proto__: null } }),
  ]) {
    const delivery = await post({}, body);
    assert.equal(delivery.event, null, body);
    assert.match(lineOf(delivery), /^\S+ {2}no event {2}\[[^\]]*\] {2}answered 200$/);
  }
  const odd = await post({}, JSON.stringify({ ...EVENT, created: "soon", data: { object: { id: CLIENT_SECRET } } }));
  assert.match(lineOf(odd), /payment_intent\.succeeded evt_a+ no object, \? old/);
});

test("only POST is taken, and no body of more than a mebibyte", async (t) => {
  const { url, deliveries } = await receiver(t);
  assert.equal((await fetch(url)).status, 405);
  assert.equal((await fetch(url, { method: "POST", body: Buffer.alloc(1_048_577) })).status, 413);
  assert.deepEqual(deliveries, []);
});

test("npm run webhooks prints what arrives, and no secret of any kind", async (t) => {
  const child = spawn(
    process.execPath,
    ["--import", "tsx", "infra/sandbox/webhooks/main.ts", "--port", "0", "--secret", SECRET, "--secret", OTHER, "--status", "503"],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  t.after(() => child.kill("SIGKILL"));
  const printed = linesOf(child);
  const first = await printed.next();
  const [, url] =
    /^listening on (http:\/\/127\.0\.0\.1:\d+), answering 503; secrets: 2$/.exec(String(first.value)) ?? assert.fail(String(first.value));
  const body = JSON.stringify({ ...EVENT, created: Math.floor(Date.now() / 1_000) });
  const response = await fetch(url ?? "", { method: "POST", headers: signed(body, OTHER, Math.floor(Date.now() / 1_000)), body });
  assert.equal(response.status, 503);
  const line = String((await printed.next()).value);
  assert.match(
    line,
    /payment_intent\.succeeded evt_a+ pi_b+, \d+ s old, attempt 1 here {2}\[.* holds \(secret 2\), .* holds \(secret 2\), .* holds \(secret 2\)\]/,
  );
  child.kill("SIGTERM");
  assert.deepEqual(await once(child, "exit"), [0, null]);
  const rest = [String(first.value), line];
  for await (const more of printed) rest.push(more);
  const text = rest.join("\n") + (child.stderr?.read() ?? "");
  for (const secret of [SECRET, OTHER, SECRET.slice(6), OTHER.slice(6), CLIENT_SECRET, "ada@example.org"]) {
    assert.equal(text.includes(secret), false, secret);
  }
});

function linesOf({ stdout }: ChildProcess): AsyncIterableIterator<string> {
  assert.ok(stdout, "the output is read");
  return createInterface(stdout)[Symbol.asyncIterator]();
}

test("a delivery in the portal's format is told with its object and its age, and both of its signatures hold", async (t) => {
  const { post } = await receiver(t);
  const body = JSON.stringify({
    ...{
      id: EVENT.id,
      type: "payment.succeeded",
      createdAt: new Date(AT_MS - 5_000).toISOString(),
      merchantId: "SHOP-001",
      livemode: false,
    },
    ...{ objectId: "pl_1.1", sequence: 2, data: { object: { uuid: "pl_1.1", status: "SUCCEEDED" } } },
  });
  const delivery = await post(portalSignatures({ id: EVENT.id, body, atMs: AT_MS }, [SECRET]), body);
  assert.deepEqual(
    verdictsOf(delivery).map(({ type }) => type),
    ["absent", "holds", "holds"],
  );
  assert.match(lineOf(delivery), /payment\.succeeded evt_a+ pl_1\.1, 5 s old, attempt 1 here/);
  assert.deepEqual(
    verdictsOf(await post(portalSignatures({ id: EVENT.id, body, atMs: AT_MS }, [OTHER]), body)).map(({ type }) => type),
    ["absent", "wrong", "wrong"],
  );
});
