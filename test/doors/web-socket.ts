import { WebSocket } from "ws";
import { connectStomp, type StompOptions, type StompTerminal, webSocketUrl } from "../support/people/stomp-terminal.ts";
import { within } from "../support/within.ts";
import type { Caller } from "./callers.ts";
import { type Identity, isOfAgent, isOfMerchant } from "./rules.ts";
import type { DoorWorld } from "./world.ts";

/** Who may subscribe to the terminal's topic; everyone else with a right login gets an ERROR. */
const SUBSCRIBERS: ReadonlySet<Identity | undefined> = new Set<Identity>(["terminal", "fleet", "manager"]);

type Came = "connected" | "subscribed" | "refused";

/** Connects as each caller that shows a user name and password, or nothing; resolves with what was not as it has to be. */
export async function askWebSocket(world: DoorWorld, callers: readonly Caller[], mode: "sandbox" | "production"): Promise<string[]> {
  const found: string[] = [];
  const request = { method: "GET" as const, path: "/ws", body: undefined, contentType: "" };
  for (const { who, shows, headers } of callers) {
    if (Object.keys(shows).some((door) => door !== "basic") || shows.basic === "foreign page") continue;
    const { authorization } = headers(world.keys, request, world.host);
    const login = loginOf(authorization);
    // The sandbox is open to terminals without any login.
    const expected = login === null ? (mode === "sandbox" ? "subscribed" : "refused") : expectedOf(shows.basic);
    if (authorization !== undefined && login === null) continue;
    const came = await comeTo(world, login ?? {});
    if (came !== expected) found.push(`${who} is ${came} at CONNECT and not ${expected}`);
    if (authorization === undefined) continue;
    const { options, refused } = upgradedWith(world.url, authorization);
    const upgraded = await comeTo(world, options, refused);
    if (upgraded !== expected) found.push(`${who} is ${upgraded} by the upgrade's login and not ${expected}`);
  }
  return found;
}

function expectedOf(shown: Caller["shows"]["basic"]): Came {
  if (
    shown === undefined ||
    isOfMerchant(shown) ||
    isOfAgent(shown) ||
    shown === "wrong" ||
    shown === "from elsewhere" ||
    shown === "foreign page"
  )
    return "refused";
  return SUBSCRIBERS.has(shown) ? "subscribed" : "connected";
}

/** How far it comes: to CONNECTED, to the RECEIPT of its subscription to the terminal's topic, or nowhere. */
async function comeTo(world: DoorWorld, options: StompOptions, refused?: Promise<never>): Promise<Came> {
  let session: StompTerminal;
  try {
    const connected = connectStomp(world.url, options);
    session = await (refused === undefined ? connected : Promise.race([connected, refused]));
  } catch {
    return "refused";
  }
  const { client } = session;
  const came = new Promise<Came>((resolve) => {
    client.onStompError = () => resolve("connected");
    client.watchForReceipt("asked", () => resolve("subscribed"));
    client.subscribe(`/topic/terminal/${world.things.terminalId}`, () => {}, { receipt: "asked" });
  });
  const outcome = await within("an answer to SUBSCRIBE", came);
  await session.client.deactivate({ force: true });
  return outcome;
}

function loginOf(authorization: string | undefined): { login: string; passcode: string } | null {
  const text = Buffer.from(/^Basic (.+)$/.exec(authorization ?? "")?.[1] ?? "", "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon < 1 ? null : { login: text.slice(0, colon), passcode: text.slice(colon + 1) };
}

/** A login at the upgrade and none at CONNECT; `refused` rejects if the upgrade itself is refused. */
function upgradedWith(url: string, authorization: string): { options: StompOptions; refused: Promise<never> } {
  const socket = new WebSocket(webSocketUrl(url), ["v12.stomp"], { headers: { authorization } });
  const refused = new Promise<never>((_, reject) => socket.on("error", reject));
  return { options: { webSocketFactory: () => socket }, refused };
}
