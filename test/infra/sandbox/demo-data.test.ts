import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { AGENT_STATES } from "../../../engine/agents/words.ts";
import { ALERT_STATES } from "../../../engine/alerts/words.ts";
import { DISPUTE_STATES } from "../../../engine/disputes/words.ts";
import { PORTAL_LINK_STATES } from "../../../engine/portal-links/words.ts";
import { SUBSCRIPTION_STATES } from "../../../engine/subscriptions/words.ts";
import { SANDBOX_OWNER } from "../../../infra/node/boot/sandbox-names.ts";
import { demoMonth } from "../../../infra/sandbox/demo-data/month.ts";
import { FAILING_TERMINAL_ID, OFFLINE_TERMINAL_ID } from "../../../infra/sandbox/demo-data/story.ts";
import { HttpClient } from "../../support/http/http-client.ts";
import { listOf, member } from "../../support/http/matches.ts";
import { startTestNode } from "../../support/node/node.ts";
import { PortalPerson } from "../../support/people/portal-person.ts";

const run = promisify(execFile);

const OPTIONS = {
  seed: 1,
  fromMs: Date.UTC(2026, 9, 1),
  untilMs: Date.UTC(2026, 9, 31),
  timeZone: "Europe/Rome",
  terminalIds: ["A", "B"] as const,
};

test("a month is the same for the same seed, in order, within its days and the shop's hours, and closed on Mondays", () => {
  const month = demoMonth(OPTIONS);
  assert.deepEqual(demoMonth(OPTIONS), month);
  assert.notDeepEqual(demoMonth({ ...OPTIONS, seed: 2 }), month);
  assert.ok(month.length > 1_000 && month.length < 4_000, String(month.length));
  const local = new Intl.DateTimeFormat("en-GB", { timeZone: OPTIONS.timeZone, weekday: "short", hour: "2-digit", hourCycle: "h23" });
  for (const [index, { atMs, amountCents, terminalId }] of month.entries()) {
    assert.ok(atMs >= OPTIONS.fromMs && atMs < OPTIONS.untilMs);
    assert.ok(atMs >= (month[index - 1]?.atMs ?? 0), "in order");
    assert.ok(amountCents >= 100 && amountCents < 20_000);
    const [day, hour] = local.format(atMs).split(/[^A-Za-z0-9]+/);
    assert.notEqual(day, "Mon");
    assert.ok(Number(hour) >= (terminalId === "B" ? 12 : 7) && Number(hour) < 22, `${hour} on ${terminalId}`);
  }
});

/** A member of the items of a list, and the values that occur at least once. */
const STATES: readonly (readonly [path: string, member: string, values: readonly unknown[]])[] = [
  ["/transactions", "status", ["OK", "KO"]],
  ["/transactions", "refundState", ["NONE", "REFUNDED"]],
  ["/transactions", "method", ["CARD", "SATISPAY", "VOUCHER", "PAYBYLINK"]],
  ["/payment-links", "state", PORTAL_LINK_STATES],
  ["/plans", "active", [true, false]],
  ["/subscriptions", "state", SUBSCRIPTION_STATES],
  ["/disputes", "status", ["ALERT", ...DISPUTE_STATES]],
  // The state between a rule's refund and its end lasts for milliseconds.
  ["/alerts", "state", ALERT_STATES.filter((state) => state !== "AUTO_REFUND")],
  ["/agent-credentials", "state", AGENT_STATES],
  ["/webhooks/deliveries", "outcome", ["DELIVERED", "FAILED"]],
  ["/webhooks", "status", ["enabled"]],
  ["/exports", "state", ["READY"]],
  ["/exports", "format", ["CSV", "XLSX"]],
  ["/terminals", "terminalId", ["SIM00001", "SIM00002", OFFLINE_TERMINAL_ID, FAILING_TERMINAL_ID]],
  ["/logs/workflow", "outcome", ["done"]],
  ["/logs/calls", "outcome", ["done"]],
  ["/users", "state", ["ACTIVE", "INVITED"]],
  ["/payment-methods", "configured", [true, false]],
];

const PAGES_MAX = 40;

test("demo data fills every page of the portal with each state, belongs to the shop, and is refused where there is data", {
  timeout: 900_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "relay-demo-"));
  const env = { ...process.env, RELAY_DATA_DIR: join(folder, "data"), RELAY_SHARDS: "1" };
  const fill = () => run(process.execPath, ["--import", "tsx", "infra/cli/demo-data.ts", "--customers", "4", "--seed", "7"], { env });
  try {
    const { stdout } = await fill();
    const paid = Number(/(\d+) payments of 62 days/.exec(stdout)?.[1]);
    assert.ok(paid > 0, stdout);
    await assert.rejects(fill(), /already has data/);
    const node = await startTestNode({}, env.RELAY_DATA_DIR);
    try {
      const url = await node.clickhouse;
      assert.ok(url !== null);
      const place = {
        client: (headers: { [name: string]: string }) => new HttpClient(() => node.url, headers, "127.0.0.1"),
        nowMs: Date.now,
        advance: node.advance,
      };
      const owner = new PortalPerson(place, SANDBOX_OWNER.email);
      owner.scan(SANDBOX_OWNER.totpSecret);
      assert.equal((await owner.signIn(SANDBOX_OWNER.password)).status, 200);
      for (const [path, name, values] of STATES) {
        const items = await itemsOf(owner, path);
        const found = new Set(items.map((item) => member(item, name)));
        assert.deepEqual(
          values.filter((value) => !found.has(value)),
          [],
          `${path} has only ${name} ${[...found].join(", ")}`,
        );
      }
      const closed = await itemsOf(owner, "/reconciliation");
      assert.ok(closed.length > 20, `${closed.length} days are closed`);
      assert.ok(
        closed.some((day) => Number(member(day, "corrections")) > 0),
        "no day was corrected",
      );
      await assertComparable(owner);
      await assertOf(owner, paid);
    } finally {
      await node.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** All items of a list of the portal. */
async function itemsOf(person: PortalPerson, path: string): Promise<unknown[]> {
  const items: unknown[] = [];
  let cursor = "";
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { status, text, body } = await person.send("GET", `${path}${cursor === "" ? "" : `?cursor=${encodeURIComponent(cursor)}`}`);
    assert.equal(status, 200, text);
    const data = member(body, "data");
    items.push(...listOf(Array.isArray(data) ? data : member(data, "items")));
    const next = Array.isArray(data) ? null : member(data, "next");
    if (typeof next !== "string") return items;
    cursor = next;
  }
  assert.fail(`${path} has more than ${PAGES_MAX} pages`);
}

/** The month before the last one has payments too, so that a comparison means something. */
async function assertComparable(person: PortalPerson): Promise<void> {
  const day = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
  const { status, text, body } = await person.send("GET", `/analytics/payments?from=${day(30)}&to=${day(1)}&compare=previous`);
  assert.equal(status, 200, text);
  const approved = (report: unknown) => Number(member(listOf(member(report, "totals"))[0], "approved"));
  const data = member(body, "data");
  const [now, before] = [approved(data), approved(member(data, "previous"))];
  assert.ok(before > now / 3 && before < now * 3, `${before} payments in the month before, ${now} in the last one`);
}

/** The payments of terminals are the shop's, and so are its other ones. */
async function assertOf(person: PortalPerson, paid: number): Promise<void> {
  const all = await itemsOf(person, "/transactions");
  const byTerminals = all.filter((one) => member(one, "method") !== "PAYBYLINK");
  // The failing terminal has declined some more.
  assert.ok(byTerminals.length >= paid && byTerminals.length <= paid + 4, `${byTerminals.length} of ${paid}`);
}
