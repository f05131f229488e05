import assert from "node:assert/strict";
import type { ClickHouseAddress } from "../../../../storage/clickhouse/client.ts";
import { connectClickHouse } from "../../../../storage/clickhouse/client.ts";
import { member } from "../../../support/http/matches.ts";
import { Relay } from "../../../support/node/relay.ts";
import { eventually } from "../../../support/within.ts";
import { shared } from "../shared.ts";

/** What terminals reported: text that every client has to bring through whole. */
const MESSAGES = ["approvato", "Zürich — 5 € 😀", 'O\'Hara \\ "x"\ttab', ""];

const trialRelay = shared(startRelay);

/** Where analysts of the trials' relay read: a sandbox relay with paid transactions, one for all trials. */
export async function trialAnalyst(): Promise<ClickHouseAddress> {
  return (await trialRelay()).analyst();
}

async function startRelay(): Promise<Relay> {
  const relay = new Relay({ shards: 1, environment: {} });
  try {
    await relay.start();
    await relay.clickhouse();
    const [terminalId, fleet] = [relay.terminalId(), relay.fleet()];
    for (const [index, message] of MESSAGES.entries()) {
      const uuid = relay.uuid();
      const steps = [
        await fleet.pay(terminalId, { uuid, amount: 1_050 + index }),
        await fleet.take(terminalId),
        await fleet.receipt(terminalId, { uuid, result: index === 0 ? "KO" : "OK", message, currency: "EUR" }),
      ];
      for (const { status, text } of steps) assert.equal(status, 200, text);
    }
    const client = connectClickHouse(await relay.analyst());
    try {
      await eventually(async () => {
        const found = await client.query({ query: "SELECT count() AS n FROM transactions_final", format: "JSONEachRow" });
        assert.equal(Number(member((await found.json())[0], "n")), MESSAGES.length);
      });
    } finally {
      await client.close();
    }
    return relay;
  } catch (error) {
    // A relay that is left keeps the process alive.
    await relay.stop();
    throw error;
  }
}
