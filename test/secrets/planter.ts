import { setTimeout as delay } from "node:timers/promises";
import { AGENT_REQUESTS_PER_SECOND } from "../../http/auth/agent-rate.ts";
import { AdapterClient } from "../support/http/adapter-client.ts";
import { type Answer, CREDENTIALS, type HttpRequest } from "../support/http/http-client.ts";
import { textMember } from "../support/http/matches.ts";
import { type AnyEndpoint, must, type Names, type PlantOutcome, type PlantWorld } from "./plant-world.ts";
import { textPlaces, withText } from "./planted.ts";
import type { Ids } from "./prepared.ts";
import { bodyOf, FREE_FORM_PLACES, headersFor, IDENTIFIERS, paramOf, requiredQuery } from "./valid-requests.ts";

/** What is owed as it came: a payment's echo, what the terminal gets, and the question that was asked. */
const VERBATIM = new Set(["sendPayment", "sendPaymentByBody", "sendPaymentLegacy", "takeCommand", "testSubscriptionRule"]);
/** What they send waits for its terminal. */
const COMMANDS = new Set(["sendPayment", "sendPaymentByBody", "sendPaymentLegacy", "sendScan", "sendPrint", "sendAdministratorCommand"]);
const LONG_TEXT_CHARS = 1_024;
const HEADERS = [
  "user-agent",
  "referer",
  "x-request-id",
  "idempotency-key",
  "origin",
  "x-forwarded-for",
  "accept-language",
  "content-type",
];

/** Plants numbers in every text of an endpoint, and ends the commands that come of it. */
export function createPlanter(world: PlantWorld, outcome: PlantOutcome, names: Names, ids: Ids) {
  const { planted } = world;
  const touched = new Set<string>();
  const waiting: string[] = [];

  async function send(
    endpoint: AnyEndpoint,
    request: { path: string; body?: unknown; headers?: { [name: string]: string } },
  ): Promise<void> {
    const { path, body, headers = {} } = request;
    const about = `${endpoint.method} ${endpoint.path}`;
    let answer: Answer;
    if (endpoint.auth === "signature") {
      const client = new AdapterClient(() => world.url);
      answer = endpoint.method === "GET" ? await client.get(path) : await client.post(path, body ?? {});
    } else {
      // Its limit is by the machine's own clock.
      if (endpoint.auth === "agent") await delay(1_000 / AGENT_REQUESTS_PER_SECOND + 5);
      const own: HttpRequest = { method: endpoint.method, headers, ...(body === undefined ? {} : { body }) };
      answer = await world.caller(headersFor(endpoint, ids)).send(path, own);
    }
    if (answer.status < 300) {
      outcome.taken.add(endpoint.name);
      const [terminalId] = /\bTP\d+\b/.exec(`${path} ${JSON.stringify(body)}`) ?? [];
      if (terminalId !== undefined && endpoint.method === "POST") touched.add(terminalId);
      if (terminalId !== undefined && COMMANDS.has(endpoint.name)) waiting.push(terminalId);
    }
    if (answer.status === 500) throw new Error(`${about} answered ${answer.status}: ${answer.text}`);
    if (!(VERBATIM.has(endpoint.name) && answer.status === 200)) outcome.answers.push({ about, text: answer.text });
    outcome.answers.push({ about: `headers of ${about}`, text: JSON.stringify(answer.headers) });
  }

  function pathOf(endpoint: AnyEndpoint, planting?: { name: string; text: string }, query?: { [name: string]: string }): string {
    const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(planting?.name === name ? planting.text : paramOf(endpoint, name, names, ids)),
    );
    return query === undefined ? path : `${path}?${new URLSearchParams(query)}`;
  }

  /** One that can be sent in a header. */
  function headerText(about: string): string {
    for (;;) {
      const text = planted.text(about);
      if (/^[ -~]*$/.test(text)) return text;
    }
  }

  async function plant(endpoint: AnyEndpoint): Promise<void> {
    const about = `${endpoint.method} ${endpoint.path}`;
    const { body: schema } = endpoint;
    const query = requiredQuery(endpoint, names);
    if (schema !== undefined) {
      for (const { path: place, lengthMax } of [...textPlaces(schema), ...(FREE_FORM_PLACES[endpoint.name] ?? [])]) {
        if (IDENTIFIERS.has(String(place.at(-1)))) continue;
        outcome.takesText.add(endpoint.name);
        const where = `${about} ${place.join(".")}`;
        const texts = [planted.text(where, lengthMax), planted.text(where, lengthMax)];
        if ((lengthMax ?? LONG_TEXT_CHARS) >= LONG_TEXT_CHARS) texts.push(planted.longText(where));
        for (const text of texts) {
          await send(endpoint, { path: pathOf(endpoint, undefined, query), body: withText(bodyOf(endpoint, names, ids), place, text) });
        }
      }
      const control = withText(bodyOf(endpoint, names, ids), ["message"], `kept ${planted.control()}`);
      await send(endpoint, { path: pathOf(endpoint, undefined, query), body: control });
      for (const [type, text] of [
        ["application/json", `{"note":"${planted.text(`${about} broken JSON`)}", `],
        ["text/plain", planted.longText(`${about} as text`)],
        [
          "application/x-www-form-urlencoded",
          `note[${planted.text(`${about} name in a form`)}]=${encodeURIComponent(planted.text(`${about} in a form`))}`,
        ],
      ] as const) {
        if (endpoint.auth === "signature") continue;
        await send(endpoint, { path: pathOf(endpoint, undefined, query), body: text, headers: { "content-type": type } });
      }
    }
    for (const [, name = ""] of endpoint.path.matchAll(/\{(\w+)\}/g)) {
      await send(endpoint, { path: pathOf(endpoint, { name, text: planted.text(`${about} {${name}}`) }), ...bodyIfAny(endpoint) });
    }
    for (const name of [...Object.keys(endpoint.query?.["properties"] ?? {}), "unknown"]) {
      if (IDENTIFIERS.has(name)) continue;
      await send(endpoint, {
        path: pathOf(endpoint, undefined, { ...query, [name]: planted.text(`${about}?${name}`) }),
        ...bodyIfAny(endpoint),
      });
    }
    if (endpoint.auth === "signature") return;
    for (const name of [...Object.keys(endpoint.headers?.["properties"] ?? {}), ...HEADERS]) {
      await send(endpoint, {
        path: pathOf(endpoint, undefined, query),
        ...bodyIfAny(endpoint),
        headers: { [name]: headerText(`${about} header ${name}`) },
      });
    }
  }

  function bodyIfAny(endpoint: AnyEndpoint): { body?: unknown } {
    return endpoint.body === undefined ? {} : { body: bodyOf(endpoint, names, ids) };
  }

  /** Takes what waits and answers it, with numbers in the answers. */
  async function endCommands(): Promise<void> {
    for (const terminalId of waiting.splice(0)) {
      const fleet = world.caller(CREDENTIALS.fleet);
      const taken = await fleet.take(terminalId);
      if (taken.status !== 200) continue;
      const result = {
        uuid: textMember(taken.body, "uuid"),
        result: "OK",
        message: planted.text("a result's message"),
        receipt: { text: planted.longText("a result's receipt"), [planted.text("a name in a receipt")]: 1 },
        card: { pan: planted.text("a result's pan") },
        scannedValue: planted.text("a scanned value"),
        authCode: `kept ${planted.control()}`,
      };
      await must(200, fleet.receipt(terminalId, result));
      // The same again is the same; another is a conflict.
      await fleet.receipt(terminalId, { ...result, message: planted.text("a conflict's message") });
    }
  }

  return { plant, endCommands, touched: (): ReadonlySet<string> => touched };
}
