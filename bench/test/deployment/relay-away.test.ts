import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { atEnd } from "../../../test/storage/kv/world.ts";
import { HttpCaller } from "../../deployment/http-caller.ts";
import { Ledger } from "../../deployment/ledger.ts";
import { LoadTerminal } from "../../deployment/load-terminal.ts";
import { Measurements } from "../../deployment/measurements.ts";
import { Partner } from "../../deployment/partner.ts";

async function serve(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(t, () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a relay that answers no longer is not asked any further at the end of a run", async (t) => {
  const until = new AbortController();
  let asked = 0;
  const url = await serve(t, () => {
    asked += 1;
    until.abort();
  });
  const caller = new HttpCaller(url);
  atEnd(t, () => caller.close());
  const partner = new Partner({
    ...{ caller, key: "pk_live_none", ledger: new Ledger(1), measurements: new Measurements(1_000), answerMs: 0, refusals: null },
    uuidOf: (index) => `load-${index}`,
    askedOf: () => ({ terminalId: "LOAD00001", service: "PAYCC", amountCents: 1_000 }),
    executionOf: () => ({ postedAtMs: null, isSlow: false }),
    signal: new AbortController().signal,
  });
  assert.equal(await partner.fateOf(0, until.signal), "unasked");
  assert.equal(await partner.isStillThere(0, until.signal), null);
  assert.equal(asked, 1);
});

test("a command that a poll gets again is twice, whatever the relay says of it: a terminal that polls has asked for none", async (t) => {
  const command = { uuid: "load-0", service: "PAYCC", amount: 1_000, redelivered: true };
  const url = await serve(t, (_, response) => response.setHeader("content-type", "application/json").end(JSON.stringify(command)));
  const nothing = () => undefined;
  const again = await new Promise<boolean>((resolve) => {
    const terminal = new LoadTerminal({
      ...{ terminalId: "LOAD00001", url, terminalSecret: "a-secret-of-at-least-16", link: "poll", pollIntervalMs: 1_000, answerMs: 60_000 },
      reports: {
        indexOf: () => 0,
        handedOut: (_, isSaidToBeAgain) => {
          resolve(isSaidToBeAgain);
          return { first: false, stored: false };
        },
        ...{
          posting: nothing,
          stored: nothing,
          refused: nothing,
          polled: nothing,
          retried: nothing,
          foreign: nothing,
          offline: nothing,
          noticed: nothing,
        },
      },
    });
    atEnd(t, () => terminal.stop());
  });
  assert.equal(again, false);
});
