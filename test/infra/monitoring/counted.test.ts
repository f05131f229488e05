import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { NO_CLICKHOUSE } from "../../fault/node-process.ts";
import { atEnd } from "../../storage/kv/world.ts";
import { CREDENTIALS, HttpClient } from "../../support/http/http-client.ts";
import { basic, startTestNode } from "../../support/node/node.ts";
import { connectStomp } from "../../support/people/stomp-terminal.ts";
import { eventually } from "../../support/within.ts";

test("a node counts what it refuses, how sessions end, and how long a command took to its terminal", async (t) => {
  const node = await startTestNode({ ...NO_CLICKHOUSE, RELAY_TRUSTED_PROXIES: "127.0.0.0/8", RELAY_SHARDS: "2" });
  atEnd(t, () => node.stop());
  const url = () => node.url;
  const counts = async (...lines: string[]) => {
    await eventually(async () => {
      const told = (await (await fetch(`${node.url}/metrics`)).text()).split("\n");
      for (const line of lines) {
        const name = line.slice(0, line.lastIndexOf(" "));
        assert.equal(
          told.find((other) => other.startsWith(`${name} `)),
          line,
        );
      }
    });
  };
  await counts(
    'relay_http_errors_total{code="unauthorized"} 0',
    "relay_stomp_connects_total 0",
    'relay_stomp_closes_total{reason="disconnected"} 0',
  );

  const stranger = new HttpClient(url, { authorization: basic("terminal", "wrong") }, "127.8.9.2");
  assert.equal((await stranger.poll("T1")).status, 401);
  await counts('relay_http_errors_total{code="unauthorized"} 1', "relay_logins_failed_total 1");

  const terminal = await connectStomp(node.url, { login: "terminal", passcode: "terminal" });
  const commands = await terminal.subscribe("T1");
  const partner = new HttpClient(url, CREDENTIALS.partner, "127.8.9.3");
  assert.equal((await partner.pay("T1", { uuid: randomUUID() })).status, 200);
  await commands.next();
  await counts('relay_command_push_delay_seconds_count{when="at_once"} 1', 'relay_command_push_delay_seconds_count{when="later"} 0');
  await terminal.client.deactivate();
  await counts(
    "relay_stomp_connects_total 1",
    'relay_stomp_closes_total{reason="disconnected"} 1',
    'relay_stomp_closes_total{reason="connection_lost"} 0',
  );

  // For a terminal that is away; of thirty at once an address may send ten.
  const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => partner.pay(`AWAY${index}`, { uuid: randomUUID() })));
  const refused = answers.filter(({ status }) => status === 429).length;
  assert.ok(refused > 0);
  await counts(`relay_rate_limited_total{bucket="pay"} ${refused}`, `relay_http_errors_total{code="rate_limited"} ${refused}`);
  const late = await connectStomp(node.url, { login: "terminal", passcode: "terminal" });
  const accepted = answers.findIndex(({ status }) => status === 200);
  await (await late.subscribe(`AWAY${accepted}`)).next();
  await counts('relay_command_push_delay_seconds_count{when="at_once"} 1', 'relay_command_push_delay_seconds_count{when="later"} 1');
  await late.vanish();
  await counts('relay_stomp_closes_total{reason="connection_lost"} 1');
});
