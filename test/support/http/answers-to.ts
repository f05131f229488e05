import { basic } from "../node/node.ts";
import type { Relay } from "../node/relay.ts";
import { type NewPartner, newPartner } from "../people/new-partner.ts";
import type { HttpClient, HttpRequest } from "./http-client.ts";
import { assertMatches } from "./matches.ts";

/** A call in a table of calls. */
export type Call = readonly [
  method: NonNullable<HttpRequest["method"]>,
  path: string,
  body?: unknown,
  headers?: { readonly [name: string]: string },
];

export const UNAUTHORIZED = { status: 401, body: { status: "error", error: /./, message: /./ } };

/** Asserts that every call of every caller gets this answer. */
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

/**
 * Asserts that the calls are 401 for every other caller, with or without a login; `partner` is a
 * partner that has to be rejected.
 */
export async function assertOnlyForAdministrator(relay: Relay, calls: readonly Call[], partner?: NewPartner): Promise<void> {
  const { byKey, username, password } = partner ?? (await newPartner(relay));
  const terminal = await relay.terminal(relay.terminalId());
  const callers = { "a partner's key": byKey, "the fleet": relay.fleet(), "a terminal": terminal };
  await assertAnswersTo(callers, calls, UNAUTHORIZED);
  for (const call of calls) {
    // Each has its own address, since an address with many failures is rejected before its password
    // is checked.
    const wrong = relay.client({ authorization: basic("admin", "wrong") });
    const byPassword = relay.client({ authorization: basic(username, password) });
    await assertAnswersTo({ nobody: relay.nobody(), "a wrong password": wrong, "a partner's password": byPassword }, [call], UNAUTHORIZED);
  }
}
