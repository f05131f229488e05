import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { STEP_UP_MS } from "../../engine/accounts/session.ts";
import { takesMerchantKey } from "../../http/endpoint/portal-auth.ts";
import { readConfig } from "../../infra/node/boot/config.ts";
import { surfacesOf } from "../../infra/node/wiring/shared/endpoints.ts";
import type { Answer } from "../support/http/http-client.ts";
import { assertMatches, textMember } from "../support/http/matches.ts";
import { TestGateway } from "../support/node/gateway.ts";
import { Relay } from "../support/node/relay.ts";
import { AGENT_ORDER, newAgent } from "../support/people/new-agent.ts";
import { bearer } from "../support/people/new-partner-api.ts";
import { PORTAL_API, PORTAL_PASSWORD } from "../support/people/portal-person.ts";
import { type AnyEndpoint, type Attempt, attemptsAt, BY_TOKEN, isOfPortal } from "./attempts.ts";
import { logOf, type Merchant, newMerchant, seenBy } from "./merchants.ts";

/**
 * Every endpoint of the portal is asked by a second merchant, with the true ids, names and cursors of the
 * first. Nothing here names endpoints but those that a token opens; what the parameters and members of a new one name has to be added to
 * attempts.ts, without which this fails.
 */
const ALL: readonly AnyEndpoint[] = Object.values(surfacesOf(readConfig({})))
  .flat()
  .filter(isOfPortal);

/** What only reads comes first: later the second merchant's own log has the ids that it has tried. */
const ENDPOINTS = [...ALL.filter(({ method }) => method === "GET"), ...ALL.filter(({ method }) => method !== "GET")];

/** A reason is a sentence. */
const REASON = /^[A-Z].{20,200}\.$/;

for (const { name, method, stepUp, noStepUp } of ALL.filter((endpoint) => endpoint.method !== "GET")) {
  test(`${name}: a change needs a fresh second factor, or its declaration says why not`, () => {
    if (stepUp === undefined) assert.match(noStepUp ?? "", REASON, `${method}: declare \`stepUp\`, or in \`noStepUp\` why none is needed`);
    else assert.equal(noStepUp, undefined);
  });
}

describe("what is one merchant's is no other's", () => {
  let gateway: TestGateway;
  let relay: Relay;
  let first: Merchant;
  let second: Merchant;

  before(async () => {
    gateway = await TestGateway.start();
    relay = new Relay({ shards: 2, environment: { RELAY_GATEWAY_URL: gateway.url } });
    await relay.start();
    await relay.clickhouse();
    first = await newMerchant(relay, gateway, "first", "4201");
    second = await newMerchant(relay, gateway, "second", "4302");
  });
  after(async () => {
    await relay.stop();
    await gateway.stop();
  });

  /** An address has so many requests in a second, of which a fast machine makes more. */
  const nextSecond = () => relay.advance(1_001);

  /** As somebody of the second merchant who has just signed in: whatever is asked, its session is whole and its second factor fresh. */
  async function bySession({ method, path, body, headers }: Attempt): Promise<Answer> {
    // A call may have ended the session of the one before.
    const me = await second.owner.send("GET", "/me");
    if (me.status !== 200 || method !== "GET") {
      const signedIn = await second.owner.signIn(PORTAL_PASSWORD);
      assert.equal(signedIn.status, 200, signedIn.text);
    }
    const answer = await second.owner.send(method, path, body, headers);
    // With new keys the former one opens nothing.
    if (method === "POST" && path === "/keys") second.key = bearer(relay, textMember(answer.body, "data", "secretKey"));
    return answer;
  }

  const byKey = ({ method, path, body, headers }: Attempt) =>
    second.key.send(PORTAL_API + path, { method, headers, ...(body === undefined ? {} : { body }) });

  function assertNothingForeign(attempt: Attempt, answer: Answer): void {
    const told = `${answer.text}\n${JSON.stringify(answer.headers)}`;
    const leaked = first.markers.filter((marker) => told.includes(marker) && !attempt.sent.includes(marker));
    assert.deepEqual(leaked, [], `${attempt.what} answers ${answer.status} ${answer.text}`);
    if (answer.status === 200 && attempt.sent.length > 0 && attempt.method === "GET") {
      const quoted = attempt.sent.filter((one) => answer.text.includes(JSON.stringify(one)));
      assert.deepEqual(quoted, [], `${attempt.what} has found what is the other's: ${answer.text}`);
    }
    assert.ok(answer.status < 500, `${attempt.what} answers ${answer.status} ${answer.text}`);
  }

  test("the first merchant sees all that is planted, so that it would be found", async () => {
    const told = JSON.stringify([
      await seenBy(first),
      await logOf(first),
      (await first.owner.send("GET", "/session")).text,
      (await first.owner.send("GET", "/terminals")).text,
    ]);
    for (const marker of first.markers) assert.ok(told.includes(marker), `${marker} is seen nowhere`);
    for (const marker of second.markers) assert.ok(!told.includes(marker), `${marker} of the second is seen by the first`);
  });

  /** Asks an endpoint as the second merchant in every way, and checks that no answer has anything of the first. */
  async function askForForeign(endpoint: AnyEndpoint): Promise<void> {
    for (const attempt of attemptsAt(endpoint, first.things)) {
      nextSecond();
      const answers = [await bySession(attempt)];
      if (takesMerchantKey(endpoint.auth)) answers.push(await byKey(attempt));
      for (const answer of answers) {
        if (attempt.namesForeign) assert.equal(answer.status, 404, `${attempt.what} answers ${answer.status} ${answer.text}`);
        assertNothingForeign(attempt, answer);
      }
    }
  }

  /** Checks that the first merchant sees after `act` what it saw before. */
  async function assertUnchanged(act: () => Promise<void>): Promise<void> {
    nextSecond();
    const [before, logBefore] = [await seenBy(first), await logOf(first)];
    await act();
    nextSecond();
    assert.deepEqual(await seenBy(first), before, "something of the first merchant has changed");
    const log = await logOf(first);
    assert.deepEqual(log.slice(log.length - logBefore.length), logBefore);
    // Somebody who tries to sign in with its e-mail address is what it has to know.
    for (const entry of log.slice(0, log.length - logBefore.length)) assertMatches(entry, { action: "session.begin", outcome: "refused" });
  }

  const asked = ENDPOINTS.filter(({ name }) => !BY_TOKEN.has(name));
  const reads = asked.filter(({ method }) => method === "GET");
  const title = ({ name }: AnyEndpoint): string => `${name}: of another merchant there is nothing, by session and by key`;
  // Reads are compared once for all of them, because the comparison itself takes twenty requests.
  test("what only reads changes nothing of another merchant", (t) =>
    assertUnchanged(async () => {
      for (const endpoint of reads) await t.test(title(endpoint), () => askForForeign(endpoint));
    }));
  for (const endpoint of asked.filter(({ method }) => method !== "GET")) {
    test(title(endpoint), () => assertUnchanged(() => askForForeign(endpoint)));
  }

  test("a session whose second factor was shown more than ten minutes ago is asked for it wherever the declaration says so", async () => {
    nextSecond();
    const { owner, things } = first;
    relay.advance(STEP_UP_MS);
    const asked: string[] = [];
    for (const endpoint of ALL.filter(({ stepUp, auth }) => stepUp === true && auth !== "none")) {
      nextSecond();
      const [attempt] = attemptsAt(endpoint, things);
      assert.ok(attempt);
      const answer = await owner.send(attempt.method, attempt.path, attempt.body, attempt.headers);
      assertMatches(answer, { status: 403, body: { code: "step_up_required" } });
      asked.push(endpoint.name);
    }
    for (const name of ["portalChangeWebhook", "portalRemoveWebhook", "respondToDispute", "merchantDisablePaymentMethod"]) {
      assert.ok(asked.includes(name), name);
    }
  });

  test("of another merchant an AI agent gets nothing: by none of its tools, with its true ids", async () => {
    nextSecond();
    const [ofFirst, ofSecond] = [await newAgent(relay, first), await newAgent(relay, second)];
    const link = await ofFirst.done("create_payment_link", {
      ...AGENT_ORDER,
      description: `link of an agent of ${first.things.merchantId}`,
    });
    const linkId = textMember(link, "id");
    const { uuid, linkUuid, paymentLinkId, transactionsCursor, reference, terminalId } = first.things;
    const before = await ofFirst.done("get_payment_link", { id: linkId });
    for (const [tool, args] of [
      ...[linkId, paymentLinkId].flatMap((id) => [["get_payment_link", { id }] as const, ["cancel_payment_link", { id }] as const]),
      ...[uuid, linkUuid].map((one) => ["get_transaction", { uuid: one }] as const),
    ]) {
      nextSecond();
      assert.match(await ofSecond.refused(tool, args), /no such/, `${tool} ${JSON.stringify(args)}`);
    }
    const markers = [...first.markers, linkId];
    for (const [tool, args] of [
      ["list_payment_links", {}],
      ["list_payment_links", { reference }],
      ["list_payment_links", { reference: linkId }],
      ["list_transactions", {}],
      ["list_transactions", { terminalId }],
      ["list_transactions", { cursor: transactionsCursor }],
      ["get_totals", {}],
    ] as const) {
      nextSecond();
      const told = JSON.stringify(await ofSecond.done(tool, args));
      assert.deepEqual(
        markers.filter((marker) => told.includes(marker)),
        [],
        `${tool} answers ${told}`,
      );
    }
    nextSecond();
    assert.deepEqual(await ofFirst.done("get_payment_link", { id: linkId }), before);
    // What a person made is the agent's own merchant's, and not its own.
    assert.match(await ofFirst.refused("get_payment_link", { id: paymentLinkId }), /no such/);
    assert.equal(textMember(await ofFirst.done("get_transaction", { uuid: linkUuid }), "uuid"), linkUuid);
  });

  test("its own ids open all of that to the first merchant, so that a 404 says whose something is", async () => {
    nextSecond();
    const found: string[] = [];
    for (const endpoint of ENDPOINTS.filter(({ method, params }) => method === "GET" && params !== undefined)) {
      if (BY_TOKEN.has(endpoint.name)) continue;
      for (const attempt of attemptsAt(endpoint, first.things)) {
        // Nor a day, which is everybody's.
        if (attempt.path.includes("?") || !attempt.namesForeign) continue;
        const answer = await first.owner.send("GET", attempt.path);
        assert.equal(answer.status, 200, `${attempt.what}: ${answer.text}`);
        found.push(endpoint.name);
      }
    }
    assert.ok(found.length >= 3, found.join(" "));
  });
});
