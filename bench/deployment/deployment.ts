import { terminalPassword } from "../../http/auth/terminal-password.ts";
import { basicLogin, type HttpCaller, memberOf, type Outcome } from "./http-caller.ts";
import type { LoadOptions } from "./options.ts";
import { HEADROOM } from "./paces.ts";
import { pause } from "./pauses.ts";

/** Why no load test begins, in a sentence for its operator. */
export class LoadRefused extends Error {}

/** What the deployment lets this machine and this key do. */
export interface Allowed {
  /** Of an address and the partner's own, together: so many payments a second, and so many scans. */
  paysPerSecond: number;
  /** Of it what the partner's record has beyond each address. */
  ownPaysPerSecond: number;
  /** Of all terminals that poll from this address. */
  pollsPerSecond: number;
}

/** More than an address may send in one second, so that an answer beyond its limit tells of the partner's own. */
const BURST = 16;
const WINDOW_MS = 1_000;
const WINDOW_MARGIN_MS = 100;

/** A thread that has not seen the key yet knows nothing of what is its own: asked again until one does that has. */
const BURSTS_MAX = 6;

/** Enough connections that each thread, and each node behind a balancer, has seen the key. */
const GREETINGS = 64;

/** Asks the deployment who this is and what it may do. Rejects with `LoadRefused`, where nothing has been stored by then. */
export async function askDeployment(
  options: LoadOptions,
  caller: HttpCaller,
  terminalIds: readonly string[],
  prefix: string,
): Promise<Allowed> {
  const partner = { "api-key": options.key };
  await checkKey(options, caller, partner, prefix);
  const pollsPerSecond = await checkTerminals(options, caller, terminalIds);
  await checkRule(caller, partner, terminalIds);
  await Promise.all(Array.from({ length: GREETINGS }, () => lookUpNothing(caller, partner, prefix)));
  const { address, own } = await payLimits(caller, partner, terminalIds[0] ?? "");
  return { paysPerSecond: address + own, ownPaysPerSecond: own, pollsPerSecond };
}

/** Throws `LoadRefused` where the options ask for more than that. */
export function checkAllowed(options: LoadOptions, { paysPerSecond, ownPaysPerSecond, pollsPerSecond }: Allowed): void {
  const { ratePerSecond, scanShare, terminals, pollShare, pollIntervalMs, scenario } = options;
  const most = Math.max(ratePerSecond * (1 - scanShare), ratePerSecond * scanShare);
  if (scenario !== "rate-limited" && most > paysPerSecond * HEADROOM) {
    const own = Math.ceil(most / HEADROOM) - (paysPerSecond - ownPaysPerSecond);
    const perhaps = Math.floor(((paysPerSecond * HEADROOM) / most) * ratePerSecond * 10) / 10;
    throw new LoadRefused(
      `${most} a second are not allowed: with this key this address may send ${paysPerSecond} payments and as many scans in any second (${paysPerSecond - ownPaysPerSecond} as every address, ` +
        `${ownPaysPerSecond} of the partner's own), of which a schedule can use nine tenths. While the relay runs an administrator allows the partner more, ` +
        `PUT /admin/api/partners/{id} {"rateLimits": {"pay": ${own}}} (infra/docs/administration.md). As it is: --rate ${perhaps}`,
    );
  }
  const polling = terminals * pollShare;
  const polls = (polling * 1_000) / pollIntervalMs + (scenario === "rate-limited" ? paysPerSecond : ratePerSecond) * pollShare;
  if (polls > pollsPerSecond * HEADROOM) {
    throw new LoadRefused(
      `${Math.ceil(polls)} polls a second are not allowed: all terminals behind one address may poll ${pollsPerSecond} times in any second, of which a schedule can use nine tenths. ` +
        "Let fewer terminals poll (--poll), or less often (--poll-every)",
    );
  }
}

function lookUpNothing(caller: HttpCaller, headers: { [name: string]: string }, prefix: string): Promise<Outcome> {
  return caller.send({ method: "GET", path: `/api/v1/${prefix}none/uuid`, headers });
}

async function checkKey({ url }: LoadOptions, caller: HttpCaller, partner: { [name: string]: string }, prefix: string): Promise<void> {
  const outcome = await lookUpNothing(caller, partner, prefix);
  if (outcome.type === "failed") throw new LoadRefused(`no relay answers at ${url}: ${outcome.reason}`);
  const { status, text } = outcome;
  if (status === 401) throw new LoadRefused("the relay does not know this API key: RELAY_LOAD_KEY has to be a partner's (pk_live_...)");
  if (status === 403)
    throw new LoadRefused(
      "this partner's key is for pages of its allowedOrigins only, or the relay is a sandbox asked by another name than its own",
    );
  if (status !== 200 || memberOf(text, "message") !== "Transaction not found") {
    throw new LoadRefused(`what answers at ${url} is no relay: ${status} to a look-up of a payment that there is not`);
  }
}

/** With the login of the first one, at an endpoint that changes nothing and has the limit of polls. Resolves with that limit. */
async function checkTerminals({ terminalSecret }: LoadOptions, caller: HttpCaller, terminalIds: readonly string[]): Promise<number> {
  const [terminalId = ""] = terminalIds;
  const outcome = await caller.send({
    method: "GET",
    path: `/api/v1/${terminalId}/settings`,
    headers: basicLogin(terminalId, terminalPassword(terminalSecret, terminalId)),
  });
  if (outcome.type === "failed") throw new LoadRefused(`the relay does not answer a terminal: ${outcome.reason}`);
  if (outcome.status === 401) {
    throw new LoadRefused(
      `the relay does not accept the login of ${terminalId}: RELAY_LOAD_TERMINAL_SECRET has to be its RELAY_TERMINAL_SECRET, and the terminal must not be denied`,
    );
  }
  if (outcome.status === 429) throw new LoadRefused("terminals behind this address poll as often as they may already");
  if (outcome.status !== 200) throw new LoadRefused(`the relay answers ${outcome.status} to the terminal ${terminalId}`);
  return limitOf(outcome) ?? Number.POSITIVE_INFINITY;
}

async function checkRule(caller: HttpCaller, partner: { [name: string]: string }, terminalIds: readonly string[]): Promise<void> {
  for (const terminalId of new Set([terminalIds[0] ?? "", terminalIds.at(-1) ?? ""])) {
    const outcome = await caller.send({ method: "GET", path: `/api/v1/${terminalId}/connection`, headers: partner });
    if (outcome.type === "failed") throw new LoadRefused(`the relay does not say whether ${terminalId} is connected: ${outcome.reason}`);
    if (outcome.status === 403) {
      throw new LoadRefused(
        `this partner may not send to ${terminalId}: its terminalRule has to name the terminals of the load test (ANY, or REGEX)`,
      );
    }
    if (outcome.status !== 200) throw new LoadRefused(`the relay answers ${outcome.status} when it is asked about ${terminalId}`);
    const sessions = memberOf(outcome.text, "data", "sessions");
    if (typeof sessions === "number" && sessions > 0) {
      throw new LoadRefused(
        `${terminalId} is connected: another load test runs, or it is a real terminal. Choose another --terminal-prefix`,
      );
    }
  }
}

/**
 * By payments that are none, so that each is 400 and nothing is stored: their limit is counted before they are looked at. The first one tells the address's limit,
 * since below it nothing else is looked at.
 */
async function payLimits(
  caller: HttpCaller,
  partner: { [name: string]: string },
  terminalId: string,
): Promise<{ address: number; own: number }> {
  const ask = async (): Promise<Outcome & { type: "answered" }> => {
    const outcome = await caller.send({ method: "POST", path: `/api/v1/${terminalId}/pay`, headers: partner, body: "{}" });
    if (outcome.type === "failed") throw new LoadRefused(`the relay does not answer a payment: ${outcome.reason}`);
    if (outcome.status !== 400 && outcome.status !== 429)
      throw new LoadRefused(`the relay answers ${outcome.status} to a payment of this key`);
    return outcome;
  };
  const address = limitOf(await ask());
  if (address === null)
    throw new LoadRefused("the relay, or what is before it, does not say how many payments are allowed (RateLimit-Limit)");
  let own = 0;
  for (let burst = 0; burst < BURSTS_MAX && own === 0; burst += 1) {
    const startedMs = performance.now();
    const outcomes = await Promise.all(Array.from({ length: Math.max(BURST, Math.ceil(address * 1.5)) }, ask));
    const isWithinSecond = performance.now() - startedMs < WINDOW_MS;
    const admitted = outcomes.filter(({ status }) => status === 400).length;
    // A limit of the partner's own that happens to be the same number shows in that more are admitted.
    own =
      outcomes.map(limitOf).find((limit) => limit !== null && limit !== address) ?? (isWithinSecond && admitted > address ? address : 0);
  }
  // What was sent here is over by then.
  await pause(WINDOW_MS + WINDOW_MARGIN_MS);
  return { address, own };
}

/** What the relay says that its limit is, of an address and a second. */
export function limitOf(outcome: Outcome): number | null {
  const header = outcome.type === "answered" ? outcome.headers["ratelimit-limit"] : undefined;
  return typeof header === "string" && /^\d{1,9}$/.test(header) ? Number(header) : null;
}
