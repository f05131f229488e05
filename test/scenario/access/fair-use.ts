import assert from "node:assert/strict";
import type { Answer, HttpClient } from "../../support/http/http-client.ts";
import { assertMatches } from "../../support/http/matches.ts";
import type { Relay } from "../../support/node/relay.ts";
import { newPartner } from "../../support/people/new-partner.ts";
import { test, testOnNodes } from "../layouts.ts";

/** What one sender may hold of a terminal's places, and all partners with rule ANY together. */
const QUEUED_OF_SENDER = 8;
const SENT_OF_SENDER = 32;

const FULL = { status: "error", code: "terminal_queue_full" };

function assertFull(answer: Answer, error: RegExp): void {
  assert.equal(answer.status, 429, answer.text);
  assertMatches(answer.body, { ...FULL, error, message: error });
  for (const name of ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"]) assert.equal(answer.headers[name], undefined, name);
  const seconds = Number(answer.headers["retry-after"]);
  assert.ok(seconds > 30 && seconds <= 60, `Retry-After: ${answer.headers["retry-after"]}`);
}

/** Fair use of a terminal: nobody's flood shuts others out. */
export function fairUse(relay: Relay): void {
  /** Scans of one partner from many addresses, so that no rate limit holds them up. */
  async function flood(apiKey: string, terminalId: string, count: number): Promise<Answer[]> {
    const answers: Answer[] = [];
    for (let sent = 0; sent < count; sent += 1) {
      answers.push(await relay.client({ "api-key": apiKey }).post(`/api/v1/${terminalId}/scan`, {}));
    }
    return answers;
  }

  const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);
  const many = (count: number, status: number) => Array.from({ length: count }, () => status);

  test("a new partner's flood of scans leaves half of a terminal's queue to the owner, to the terminal and to administrators", async () => {
    const terminalId = relay.terminalId();
    const [stranger, owner] = [
      await newPartner(relay),
      await newPartner(relay, { terminalRule: { ruleType: "LIST", ruleValue: terminalId } }),
    ];
    const answers = await flood(stranger.apiKey, terminalId, 20);
    assert.deepEqual(statuses(answers), [...many(QUEUED_OF_SENDER, 200), ...many(20 - QUEUED_OF_SENDER, 429)]);
    for (const answer of answers.slice(QUEUED_OF_SENDER)) assertFull(answer, /this sender/);
    const others: HttpClient[] = [owner.byKey, owner.byPassword, relay.fleet(), await relay.terminal(terminalId)];
    for (const caller of others) assert.equal((await caller.pay(terminalId, { uuid: relay.uuid() })).status, 200);
    const command = { service: "LOGCAT" };
    assert.equal((await relay.administrator().post(`/admin/terminal/${terminalId}/command`, command)).status, 200);
  });

  testOnNodes("partners whom only rule ANY admits share the places, however many they are", async () => {
    const terminalId = relay.terminalId();
    const strangers = [await newPartner(relay), await newPartner(relay), await newPartner(relay)];
    const owner = await newPartner(relay, { terminalRule: { ruleType: "REGEX", ruleValue: terminalId } });
    const answers = (await Promise.all(strangers.map(({ apiKey }) => flood(apiKey, terminalId, 5)))).flat();
    assert.equal(answers.filter(({ status }) => status === 200).length, QUEUED_OF_SENDER);
    for (const answer of answers.filter(({ status }) => status !== 200)) assertFull(answer, /rule ANY/);
    assert.equal((await owner.byKey.pay(terminalId, { uuid: relay.uuid() })).status, 200);
  });

  test("a flood that a connected terminal does not answer leaves half of what may be under way to the owner, whose payment is pushed", async () => {
    const terminalId = relay.terminalId();
    const terminal = await relay.online(terminalId);
    const [stranger, owner] = [
      await newPartner(relay),
      await newPartner(relay, { terminalRule: { ruleType: "LIST", ruleValue: terminalId } }),
    ];
    const answers = await flood(stranger.apiKey, terminalId, SENT_OF_SENDER + QUEUED_OF_SENDER + 2);
    assert.deepEqual(statuses(answers), [...many(SENT_OF_SENDER + QUEUED_OF_SENDER, 200), 429, 429]);
    const uuid = relay.uuid();
    assertMatches((await owner.byKey.pay(terminalId, { uuid })).body, { message: "Payment request sent to the terminal" });
    for (let sent = 0; sent < SENT_OF_SENDER; sent += 1) assertMatches((await terminal.commands.next()).command, { service: "SCAN" });
    assertMatches((await terminal.commands.next()).command, { uuid });
  });

  test("a full queue is told as such, with no word of the caller's rate limit, which a repeated uuid keeps", async () => {
    const [terminalId, partner, uuid] = [relay.terminalId(), await newPartner(relay), relay.uuid()];
    assert.equal((await partner.byKey.pay(terminalId, { uuid })).status, 200);
    await flood(partner.apiKey, terminalId, QUEUED_OF_SENDER - 1);
    assertFull(await partner.byKey.pay(terminalId, { uuid: relay.uuid() }), /this sender/);
    assertFull(await partner.byKey.post(`/api/v1/${terminalId}/print`, { text: "no" }), /this sender/);
    const repeated = await partner.byKey.pay(terminalId, { uuid });
    assert.equal(repeated.status, 400);
    assert.equal(repeated.headers["ratelimit-limit"], "10");
  });

  test("the creation of a partner says which terminals it may use", async () => {
    const gateway = { gwTml: "GWT1", gwApiKey: "GWMERCHANT1", gwSecretKey: "a gateway secret" };
    const make = (members: object) =>
      relay.administrator().post("/admin/api/partners", { username: `partner-${relay.uuid()}`, ...gateway, ...members });
    assertMatches(await make({}), {
      status: 201,
      body: { terminalRule: { ruleType: "ANY" }, message: /It may send to every terminal/ },
    });
    const terminalRule = { ruleType: "LIST", ruleValue: "T1" };
    const named = { terminalRule, message: /the terminals that its terminalRule names/ };
    assertMatches(await make({ terminalRule }), { status: 201, body: named });
  });

  for (const [what, body] of [
    ["scan", {}],
    ["print", { text: "Grazie" }],
  ] as const) {
    test(`${what} is limited to 10 a second for an address, before authentication, and takes nothing of pay's`, async () => {
      const [stranger, terminalId] = [relay.nobody(), relay.terminalId()];
      const started = performance.now();
      const answers = await Promise.all(Array.from({ length: 45 }, () => stranger.post(`/api/v1/${terminalId}/${what}`, body)));
      const seconds = Math.ceil((performance.now() - started) / 1_000);
      const admitted = answers.filter(({ status }) => status === 401).length;
      const limited = answers.filter(({ status }) => status === 429);
      assert.equal(admitted + limited.length, 45);
      assert.ok(admitted >= 10 && admitted <= 10 * (seconds + 1), `${admitted} in ${seconds} s`);
      for (const { headers, body: refusal } of limited) {
        assertMatches(headers, { "retry-after": "1", "ratelimit-limit": "10", "ratelimit-remaining": "0" });
        assert.equal((refusal as { code?: string }).code, undefined);
      }
      assert.equal((await stranger.pay(terminalId, { uuid: relay.uuid() })).headers["ratelimit-remaining"], "9");
    });
  }
}
