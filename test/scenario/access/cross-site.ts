import assert from "node:assert/strict";
import { surfacesOf } from "../../../infra/node/wiring/shared/endpoints.ts";
import type { Answer } from "../../support/http/http-client.ts";
import { assertMatches } from "../../support/http/matches.ts";
import type { Relay } from "../../support/node/relay.ts";
import { newPartner } from "../../support/people/new-partner.ts";
import { test } from "../layouts.ts";

const EVIL = "https://evil.example";
const REFUSED = /Pages of other origins may not call this path with a login/;

/** GETs that change something: an image of a foreign page would take a terminal's payment. */
const GETS_WITH_AN_EFFECT = ["takeCommand"];

/** What no other page's request may cause is named here by a person, with the reason. */
const ANYONE_MAY_CAUSE = [
  // The card gateway's notification is the word of anybody: the relay asks the gateway, at most every three seconds for a payment.
  "gatewayNotification",
  // The form of a payment link's own page, which no login goes with. Another site's page is led to that page and begins nothing (payment-links.test.ts).
  "payLink",
  // The forms of a subscription's own page: the same.
  "paySubscription",
  "cancelOwnSubscription",
];

const SERVED = Object.values(surfacesOf({ openTerminalLogs: true, packageBytesMax: 1_000_000 })).flat();
const WITH_LOGIN = SERVED.filter(({ auth }) => auth === "admin" || auth === "basic" || auth === "basicOrApiKey");

/** What pages of other origins can make a browser do with a login that it remembers: nothing that has an effect. */
export function crossSite(relay: Relay): void {
  /** A path that names nothing that is there. */
  const pathOf = (template: string) => template.replace(/\{[^}]+\}/g, (name) => (/id\}$/i.test(name) ? "999999" : "nothing"));
  /** A body that no endpoint takes, so that a request that is let in changes nothing. */
  const call = ({ method, path }: (typeof SERVED)[number], headers: { [name: string]: string }): Promise<Answer> =>
    relay.administrator().send(pathOf(path), { method, headers, ...(method === "GET" || method === "DELETE" ? {} : { body: "{" }) });

  for (const endpoint of WITH_LOGIN) {
    const { name, method, path } = endpoint;
    const hasEffect = method !== "GET" || GETS_WITH_AN_EFFECT.includes(name);
    test(`${method} ${path} with a login ${hasEffect ? "is refused to" : "may be sent by"} pages of other origins`, async () => {
      const foreign = [{ origin: EVIL }, { origin: "null" }, { origin: "http://127.0.0.1:1" }, { "sec-fetch-site": "cross-site" }];
      for (const headers of foreign) {
        const { status, text } = await call(endpoint, headers);
        if (hasEffect) assert.deepEqual([status, REFUSED.test(text)], [403, true], `${JSON.stringify(headers)}: ${status} ${text}`);
        else assert.doesNotMatch(text, REFUSED);
      }
      for (const headers of [{}, { origin: "https://localhost:7", host: "localhost:7" }, { "sec-fetch-site": "none" }]) {
        const { status, text } = await call(endpoint, headers);
        assert.doesNotMatch(text, REFUSED, JSON.stringify(headers));
        assert.doesNotMatch(text, /for this machine only/);
        assert.notEqual(status, 401, "this shows something only where the login is right");
      }
    });
  }

  test("an endpoint for anyone that has an effect takes JSON with its content type only, which no page of another origin can send", () => {
    const anyone = SERVED.filter(({ auth, method }) => (auth === "none" || auth === "optionalBasic") && method === "POST");
    assert.ok(anyone.length >= 3, "some are looked at");
    const open = anyone.filter(({ body }) => body === undefined || body["type"] !== "object");
    assert.deepEqual(
      open.map(({ name }) => name),
      ANYONE_MAY_CAUSE,
    );
  });

  test("a page of another origin cannot report an install, or write a terminal's log", async () => {
    const install = { terminalId: relay.terminalId(), versionCode: 1, status: "failed" };
    for (const [path, body] of [
      ["/api/v1/app/install-log", install],
      [`/api/v1/${install.terminalId}/logs`, { a: 1 }],
    ] as const) {
      // All that a browser sends to another origin without asking first.
      for (const type of ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
        const answer = await relay.nobody().post(path, body, { origin: EVIL, "content-type": type });
        assert.equal(answer.status, 415, `${path} ${type}: ${answer.text}`);
      }
      assert.equal((await relay.nobody().post(path, body, { "content-type": "" })).status, 200, "a terminal that names no type");
      const asked = await relay.nobody().send(path, {
        method: "OPTIONS",
        headers: { origin: EVIL, "access-control-request-method": "POST", "access-control-request-headers": "content-type" },
      });
      assert.equal(asked.status, 403);
    }
  });

  test("a partner's login is good for the pages that the partner lists itself, and for no others", async () => {
    const shop = `https://${relay.uuid()}.example`;
    const listed = await newPartner(relay, { allowedOrigins: { shop } });
    const without = await newPartner(relay);
    const pay = ({ byPassword }: typeof listed, origin: string) =>
      byPassword.post(`/api/v1/${relay.terminalId()}/pay`, { amount: 1_050, service: "PAYCC", uuid: relay.uuid() }, { origin });
    // The first login of each is checked off the event loop, the next ones are remembered.
    assertMatches(await pay(listed, EVIL), { status: 403, body: { error: REFUSED } });
    assertMatches(await pay(without, shop), { status: 403, body: { error: REFUSED } });
    assertMatches(await pay(listed, shop), { status: 200 });
    assertMatches(await pay(listed, EVIL), { status: 403, body: { error: REFUSED } });
    assertMatches(await pay(without, EVIL), { status: 403, body: { error: REFUSED } });
    const regenerate = (origin: string) => listed.byPassword.post("/api/partner/regenerate-key", undefined, { origin });
    assertMatches(await regenerate(EVIL), { status: 403, body: { error: REFUSED } });
    assert.equal((await listed.byKey.get("/api/v1/T1/connection")).status, 200, "the key is the one before");
    assert.equal((await regenerate(shop)).status, 200);
    // A key is sent by a page that has it, so only its own list counts.
    const keyed = await without.byKey.post(
      `/api/v1/${relay.terminalId()}/pay`,
      { amount: 1_050, service: "PAYCC", uuid: relay.uuid() },
      { origin: EVIL },
    );
    assert.equal(keyed.status, 200, keyed.text);
  });

  test("an image of a foreign page takes no payment from its terminal", async () => {
    const terminalId = relay.terminalId();
    const uuid = relay.uuid();
    assert.equal((await relay.partner().pay(terminalId, { uuid })).status, 200);
    for (const who of [relay.fleet(), await relay.terminal(terminalId)]) {
      assertMatches(await who.poll(terminalId, { "sec-fetch-site": "cross-site" }), { status: 403, body: { error: REFUSED } });
      assertMatches(await who.poll(terminalId, { origin: EVIL }), { status: 403, body: { error: REFUSED } });
    }
    assertMatches(await relay.fleet().take(terminalId), { status: 200, body: { uuid } });
  });

  test("a result that a foreign page posts is neither taken nor kept as one that cannot be read", async () => {
    const terminalId = relay.terminalId();
    for (const type of ["application/json", "text/plain", ""]) {
      const body = { uuid: relay.uuid(), result: "OK" };
      const answer = await relay.fleet().post(`/api/v1/${terminalId}/receipt`, body, { origin: EVIL, "content-type": type });
      assertMatches(answer, { status: 403, body: { error: REFUSED } }, type);
    }
    assert.deepEqual(await relay.attention(terminalId), []);
  });
}
