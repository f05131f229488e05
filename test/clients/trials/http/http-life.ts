import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { DEMO_PARTNER } from "../../../../infra/node/process/sandbox-partner.ts";
import { startSimulatedTerminal } from "../../../../infra/sandbox/terminal/terminal.ts";
import { assertMatches } from "../../../support/http/matches.ts";
import { API_KEY, basic } from "../../../support/node/node.ts";
import { Relay } from "../../../support/node/relay.ts";
import { shared } from "../shared.ts";
import { type HttpAnswer, type HttpCall, NO_ANSWER, type Sender } from "./http-call.ts";

const TERMINAL_ID = "SIM00001";
/** Waits of the simulated terminal are divided by it. */
const TERMINAL_SPEED = 20;
const MIB = 1_048_576;
const TIMES_TOO_LONG = 3;
/** Ten a second may come; a busy machine sends the rest in several seconds. */
const BURST = 200;
const WINDOW_MS = 1_100;

const world = shared(async () => {
  const relay = new Relay({ shards: 1, environment: {} });
  await relay.start();
  const terminal = await startSimulatedTerminal({ terminalId: TERMINAL_ID, url: relay.node.url, speed: TERMINAL_SPEED });
  await terminal.online;
  return {
    url: relay.node.url,
    uuid: () => relay.uuid(),
    stop: async () => {
      await terminal.stop();
      await relay.stop();
    },
  };
});

export interface HttpLifeOptions {
  /** Whether the client waits for `100 Continue` where it is asked to. */
  readonly expect: boolean;
}

/**
 * Pays on a simulated terminal by API key and by Basic and reads both results; with `Expect: 100-continue` where the client has it; then meets 400, 401, 413 (a body
 * a little too long, and one of more than a MiB with `Expect`) and 429, and pays again after `Retry-After`. Every answer is JSON.
 */
export async function httpLife(send: Sender, { expect }: HttpLifeOptions): Promise<void> {
  const { url, uuid } = await world();
  const byKey = { "API-Key": API_KEY, "Content-Type": "application/json" };
  const byBasic = { Authorization: basic(DEMO_PARTNER.username, DEMO_PARTNER.password), "Content-Type": "application/json" };
  const call = (changes: Partial<HttpCall>): HttpCall => ({
    method: "GET",
    url,
    headers: {},
    body: "",
    expect: false,
    times: 1,
    ...changes,
  });
  const pay = (members: object, changes: Partial<HttpCall> = {}) =>
    call({
      method: "POST",
      url: `${url}/api/v1/${TERMINAL_ID}/pay`,
      headers: byKey,
      body: JSON.stringify({ uuid: uuid(), amount: 1050, service: "PAYCC", ...members }),
      ...changes,
    });
  const result = (id: string, headers: HttpCall["headers"]) => call({ url: `${url}/api/v1/${id}/uuid?wait=10`, headers });

  const [first, second, third] = [uuid(), uuid(), uuid()];
  const refusedKey = { ...byKey, "API-Key": "pk_live_nobody_has_this_key" };
  const steps: { call: HttpCall; check(answer: HttpAnswer): void }[] = [
    { call: pay({ uuid: first }), check: isPayment(first) },
    { call: result(first, byKey), check: isResult(first) },
    { call: pay({ uuid: second }, { headers: byBasic }), check: isPayment(second) },
    { call: result(second, byBasic), check: isResult(second) },
    ...(expect
      ? [
          { call: pay({ uuid: third }, { expect }), check: isPayment(third) },
          { call: result(third, byKey), check: isResult(third) },
        ]
      : []),
    { call: pay({ amount: 0 }), check: isError(400, /^amount must be an integer/) },
    { call: pay({}, { headers: refusedKey }), check: isError(401, /^Invalid API Key/) },
    { call: pay({ description: "y".repeat(20_000) }), check: isError(413, /may have at most 16384 bytes/) },
    // More than once: whether a client sees an answer that comes while it is writing can be chance.
    ...Array.from({ length: expect ? TIMES_TOO_LONG : 0 }, () => ({
      call: pay({ description: "y".repeat(MIB) }, { expect }),
      check: isError(413, /may have at most 16384 bytes/),
    })),
    { call: pay({ amount: 0 }, { times: BURST }), check: isError(429, /./) },
  ];
  const refusals = steps.findIndex(({ call: { body } }) => body.includes('"amount":0'));
  const paid = await send(steps.slice(0, refusals).map((step) => step.call));
  // The payments leave the window of the rate limit: the refusals are to be what they are.
  await delay(WINDOW_MS);
  const answers = [...paid, ...(await send(steps.slice(refusals).map((step) => step.call)))];
  assert.equal(answers.length, steps.length);
  for (const [index, { check }] of steps.entries()) check(answers[index] ?? assert.fail());

  const retryAfter = Number(answers.at(-1)?.headers["retry-after"]);
  assert.ok(retryAfter >= 1 && retryAfter <= 10, `Retry-After: ${retryAfter}`);
  await delay(retryAfter * 1_000);
  const fourth = uuid();
  const [again] = await send([pay({ uuid: fourth })]);
  isPayment(fourth)(again ?? assert.fail());
}

/** Refused by their first line alone: a path that the relay does not have, and one that takes another method. */
const REFUSED_PATHS = [
  { path: "/api/v1/nothing/is/here", status: 404, message: /^There is nothing at this path/ },
  { path: "/api/v1/nobody/uuid", status: 405, message: /^This path takes GET/ },
];

/**
 * Posts to such paths with `Expect: 100-continue`: the refusal comes in the place of `100 Continue`. Returns what the client says of those that it takes for no
 * answer.
 */
export async function refusalsOfExpectation(send: Sender): Promise<string[]> {
  const { url } = await world();
  const headers = { "API-Key": API_KEY, "Content-Type": "application/json" };
  const body = JSON.stringify({ amount: 1050 });
  const silences = REFUSED_PATHS.map(async ({ path, status, message }) => {
    const [answer] = await send([{ method: "POST", url: url + path, headers, body, expect: true, times: 1 }]);
    assert.ok(answer);
    if (answer.status === NO_ANSWER) return [answer.text];
    isError(status, message)(answer);
    return [];
  });
  return (await Promise.all(silences)).flat();
}

/** The body, which is JSON and says so. */
function jsonOf({ status, headers, text }: HttpAnswer): unknown {
  assert.match(headers["content-type"] ?? "", /^application\/json/, `${status}: ${text}`);
  return JSON.parse(text);
}

const isPayment = (uuid: string) => (answer: HttpAnswer) => {
  assertMatches(jsonOf(answer), { status: "ok", data: { terminalID: TERMINAL_ID, received: { uuid, amount: 1050 } } });
  assert.equal(answer.status, 200);
};

const isResult = (uuid: string) => (answer: HttpAnswer) => {
  assertMatches(jsonOf(answer), { status: "ok", data: { uuid, status: "OK", message: "APPROVED", amountCents: 1050 } });
  assert.equal(answer.status, 200);
};

const isError = (status: number, message: RegExp) => (answer: HttpAnswer) => {
  assertMatches(jsonOf(answer), { status: "error", message });
  assert.equal(answer.status, status, answer.text);
};
