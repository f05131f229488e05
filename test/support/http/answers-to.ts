import { basic } from "../node/node.ts";
import type { Relay } from "../node/relay.ts";
import { type NewPartner, newPartner } from "../people/new-partner.ts";
import type { HttpClient, HttpRequest } from "./http-client.ts";
import { assertMatches } from "./matches.ts";

/** A call as a table of them has it. */
export type Call = readonly [
  method: NonNullable<HttpRequest["method"]>,
  path: string,
  body?: unknown,
  headers?: { readonly [name: string]: string },
];

export const UNAUTHORIZED = { status: 401, body: { status: "error", error: /./, message: /./ } };

/** Every one of the calls is answered so to every one of the callers. */
export async function assertAnswersTo(
  callers: { readonly [who: string]: HttpClient },
  calls: readonly Call[],
  expected: object,
): Promise<void> {
  for (const [who, caller] of Object.entries(callers)) {
    for (const [method, path, body, headers] of calls)
      assertMatches(
        await caller.send(path, { method, body, ...(headers === undefined ? {} : { headers }) }),
        expected,
        `${who}: ${method} ${path}`,
      );
  }
}

/** The calls are 401 for everyone else that has a way in, and for who has none; `partner` is one that has to be refused. */
export async function assertOnlyForAdministrator(relay: Relay, calls: readonly Call[], partner?: NewPartner): Promise<void> {
  const { byKey, username, password } = partner ?? (await newPartner(relay));
  const terminal = await relay.terminal(relay.terminalId());
  const callers = { "a partner's key": byKey, "the fleet": relay.fleet(), "a terminal": terminal };
  await assertAnswersTo(callers, calls, UNAUTHORIZED);
  for (const call of calls) {
    // At addresses of their own: one that fails often is refused before its password is looked at.
    const wrong = relay.client({ authorization: basic("admin", "wrong") });
    const byPassword = relay.client({ authorization: basic(username, password) });
    await assertAnswersTo({ nobody: relay.nobody(), "a wrong password": wrong, "a partner's password": byPassword }, [call], UNAUTHORIZED);
  }
}
