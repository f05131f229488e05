import { Value } from "@sinclair/typebox/value";
import type { Answer } from "../support/http/http-client.ts";
import type { Caller } from "./callers.ts";
import { type AnyEndpoint, type Outcome, outcomeOf, STATUS } from "./rules.ts";
import type { DoorWorld, Mode } from "./world.ts";

/** Requests under way: passwords are hashed one at a time, everything else is bound by the machine. */
const AT_ONCE = 6;

/**
 * Endpoints with a limit that are asked within a second of the node's clock: an address may sign in ten times in it, and a fast machine asks all of them at
 * once. The more seconds, the less is left of the five minutes for which a sign-in waits for its second factor.
 */
const ENDPOINTS_PER_SECOND = 4;

/** A machine with much else to do hashes them so slowly that there is no answer in time. */
const TRIES_MAX = 4;

/** Every caller that an endpoint has to refuse. */
export interface Refusal {
  endpoint: AnyEndpoint;
  caller: Caller;
  outcome: Exclude<Outcome, "admitted">;
}

export function refusalsOf(endpoints: readonly AnyEndpoint[], callers: readonly Caller[], mode: Mode): Refusal[] {
  return endpoints.flatMap((endpoint) =>
    callers.flatMap((caller) => {
      const outcome = outcomeOf(endpoint, caller.shows, mode);
      return outcome === "admitted" ? [] : [{ endpoint, caller, outcome }];
    }),
  );
}

const KEYS_OF_MERCHANTS: ReadonlySet<string> = new Set([
  "merchantKey",
  "optionalMerchantKey",
  "merchantUserOrKey",
  "merchantUserOrAnyKey",
  "agent",
]);

/** Asks each; resolves with what was not as it has to be, in words. */
export async function ask(world: DoorWorld, refusals: readonly Refusal[]): Promise<string[]> {
  const confidential = world.confidential();
  const wrong = new Map<string, Set<string>>();
  const askOne = async ({ endpoint, caller, outcome }: Refusal): Promise<string[]> => {
    const what = `${caller.who}: ${endpoint.method} ${endpoint.path}`;
    const { request, headers, answer } = await sendAs(world, endpoint, caller, "there");
    const said = `${request.path} ${request.body ?? ""} ${JSON.stringify(headers)}`;
    const leaked = confidential.find((secret) => answer.text.includes(secret) && !said.includes(secret));
    if (leaked !== undefined) return [`${what} is told ${leaked}: ${answer.text}`];
    if (outcome === "unknown") return unlikeUnknown(world, { endpoint, caller, outcome }, answer);
    if (answer.status !== STATUS[outcome]) return [`${what} is answered ${answer.status} and not ${STATUS[outcome]}: ${answer.text}`];
    if (!Value.Check(endpoint.surface.envelope.schema, answer.body)) return [`${what} is not answered in its envelope: ${answer.text}`];
    if (outcome === "unauthorized" && caller.saysWhy !== true && Object.keys(caller.shows).length === 1) {
      const kind = `${endpoint.method} ${endpoint.path}, ${Object.keys(caller.shows)}`;
      const text = `${answer.text} ${answer.headers["www-authenticate"] ?? ""}`;
      wrong.set(kind, (wrong.get(kind) ?? new Set()).add(text));
    }
    return [];
  };
  const found: string[][] = [];
  for (const asked of bySecond(refusals)) {
    found.push(...(await each(asked, askOne)));
    world.nextSecond();
  }
  const told = [...wrong].filter(([, texts]) => texts.size > 1);
  return [...found.flat(), ...told.map(([kind, texts]) => `${kind}: the answers tell wrong ones apart: ${[...texts].join(" | ")}`)];
}

/** In their order, so many together that an address may send them within a second. */
function bySecond(refusals: readonly Refusal[]): Refusal[][] {
  const seconds: Refusal[][] = [];
  const limited = new Set<AnyEndpoint>();
  for (const refusal of refusals) {
    const { rateLimit, auth } = refusal.endpoint;
    if (rateLimit !== undefined || KEYS_OF_MERCHANTS.has(auth)) limited.add(refusal.endpoint);
    const second = Math.floor(Math.max(0, limited.size - 1) / ENDPOINTS_PER_SECOND);
    seconds[second] ??= [];
    seconds[second].push(refusal);
  }
  return seconds;
}

async function sendAs(world: DoorWorld, endpoint: AnyEndpoint, caller: Caller, about: "there" | "absent") {
  for (let tries = 1; ; tries += 1) {
    const request = world.request(endpoint, about);
    const headers = caller.headers(world.keys, request, world.host);
    // Each caller has its own address: who guesses is held back there alone. Keys need none where they were before; those that are none are counted by the
    // second, over all surfaces that take merchants' keys.
    const isKey = caller.shows.bearer !== undefined && KEYS_OF_MERCHANTS.has(endpoint.auth);
    const answer = await world.send(request, headers, isKey ? `${caller.who} at ${endpoint.surface.name}` : caller.who);
    if (answer.status !== 503 || caller.shows.basic !== "wrong" || tries === TRIES_MAX) return { request, headers, answer };
  }
}

/** What may not be seen is answered as what is not there, to the same caller. */
async function unlikeUnknown(world: DoorWorld, { endpoint, caller }: Refusal, answer: Answer): Promise<string[]> {
  const { answer: absent } = await sendAs(world, endpoint, caller, "absent");
  const [shown, compared] = [answer, absent].map(({ status, text }) => `${status} ${world.withoutNames(text)}`);
  const what = `${caller.who}: ${endpoint.method} ${endpoint.path}`;
  if (shown !== compared) return [`${what} is answered ${shown}, and for what does not exist ${compared}`];
  // A limit says nothing of it; what stands in ClickHouse cannot be looked for here, and is asked for in test/tenancy.
  const isAway = answer.status === 503 && /ClickHouse cannot be reached/.test(answer.text);
  const says = answer.status < 400 ? /not found/i.test(answer.text) : answer.status < 429 || isAway;
  return says ? [] : [`${what} is not answered as unknown: ${shown}`];
}

/** A few at a time, in no order. */
export async function each<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  const worker = async () => {
    for (const [index, item] of left) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}
