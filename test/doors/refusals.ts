import { Value } from "@sinclair/typebox/value";
import type { Answer } from "../support/http-client.ts";
import { CALLERS, type Caller } from "./callers.ts";
import { type AnyEndpoint, type Outcome, outcomeOf, STATUS } from "./rules.ts";
import type { DoorWorld } from "./world.ts";

/** Requests under way: the passwords of partners are hashed one at a time, everything else is bound by the machine. */
const AT_ONCE = 8;

/** Every caller that an endpoint has to refuse. */
export interface Refusal {
  endpoint: AnyEndpoint;
  caller: Caller;
  outcome: Exclude<Outcome, "admitted">;
}

export function refusalsOf(endpoints: readonly AnyEndpoint[]): Refusal[] {
  return endpoints.flatMap((endpoint) =>
    CALLERS.flatMap((caller) => {
      const outcome = outcomeOf(endpoint, caller.shows);
      return outcome === "admitted" ? [] : [{ endpoint, caller, outcome }];
    }),
  );
}

/** Asks each; resolves with what was not as it has to be, in words. */
export async function ask(world: DoorWorld, refusals: readonly Refusal[]): Promise<string[]> {
  const confidential = world.confidential();
  const wrong = new Map<string, Set<string>>();
  const found = await each(refusals, async ({ endpoint, caller, outcome }) => {
    const what = `${caller.who}: ${endpoint.method} ${endpoint.path}`;
    const request = world.request(endpoint);
    const headers = caller.headers(world.keys, request, world.host);
    const answer = await world.send(request, headers);
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
  });
  const told = [...wrong].filter(([, texts]) => texts.size > 1);
  return [...found.flat(), ...told.map(([kind, texts]) => `${kind}: the answers tell wrong ones apart: ${[...texts].join(" | ")}`)];
}

/** What may not be seen is answered as what is not there, to the same caller. */
async function unlikeUnknown(world: DoorWorld, { endpoint, caller }: Refusal, answer: Answer): Promise<string[]> {
  const request = world.request(endpoint, "absent");
  const absent = await world.send(request, caller.headers(world.keys, request, world.host));
  const [shown, compared] = [answer, absent].map(({ status, text }) => `${status} ${world.withoutNames(text)}`);
  const what = `${caller.who}: ${endpoint.method} ${endpoint.path}`;
  if (shown !== compared) return [`${what} is answered ${shown}, and for what does not exist ${compared}`];
  const says = answer.status >= 400 || /not found/i.test(answer.text);
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
