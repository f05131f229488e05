import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { QUEUED_OF_SENDER_MAX } from "../../../engine/kernel/limits.ts";
import type { SimulatedTerminalOptions } from "../../../infra/sandbox/terminal/options.ts";
import { startSimulatedTerminal } from "../../../infra/sandbox/terminal/terminal.ts";
import { NO_BROWSER, openPage } from "../../support/browser/browser.ts";
import { assertMatches, member } from "../../support/http/matches.ts";
import { API_KEY, SHARD_COUNTS } from "../../support/node/node.ts";
import { Relay } from "../../support/node/relay.ts";
import { eventually, within } from "../../support/within.ts";

/** What a scan settled with, and the events of its scanner. */
interface Scanned {
  result?: { value: string; format: string | null; uuid: string };
  error?: { name: string; code: string; uuid: string | null };
  events: string[];
}

/** In every page: `run` scans and says all that happened. */
const IN_PAGE = `
  window.run = async (scanner) => {
    const events = [];
    for (const name of ["sent", "waiting", "result", "error"]) {
      scanner.on(name, (detail) => {
        events.push(name);
        window.latest = { name, uuid: detail.uuid };
      });
    }
    try {
      return { result: await scanner.scan(), events };
    } catch (error) {
      return { error: { name: error.name, code: error.code, uuid: error.uuid }, events };
    }
  };`;

const relay = new Relay({ shards: SHARD_COUNTS[0], environment: {} });

/** A terminal that is there. One that is slow never ends a scan by itself. */
async function terminal(t: TestContext, options: Partial<SimulatedTerminalOptions> = {}): Promise<string> {
  const terminalId = options.terminalId ?? relay.terminalId();
  let online: () => void = () => {};
  const connected = new Promise<void>((resolve) => {
    online = resolve;
  });
  const started = await startSimulatedTerminal({
    url: relay.node.url,
    latencyMs: 10,
    ...options,
    terminalId,
    onEvent: ({ type }) => {
      if (type === "online") online();
    },
  });
  t.after(() => started.stop());
  await within("the terminal", connected);
  return terminalId;
}

const SLOW = { latencyMs: 3_600_000 };

/** A till's page at the relay's own origin. */
async function till(t: TestContext): Promise<Page> {
  const page = await openPage(t);
  const address = `${relay.node.url}/till`;
  await page.route(address, (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Till</title>" }));
  await page.goto(address);
  await page.addScriptTag({ url: `${relay.node.url}/js/scan.js` });
  await page.evaluate(IN_PAGE);
  return page;
}

const made = (terminalId: string, more: object = {}) =>
  `RelayScan.createScanner({ baseUrl: location.origin + "/", terminalId: ${JSON.stringify(terminalId)}, ...${JSON.stringify({ apiKey: API_KEY, pollMs: 500, ...more })} })`;

/** Begins a scan in the page; what it comes to is awaited later. */
function scan(page: Page, terminalId: string, more: object = {}): Promise<Scanned> {
  return page.evaluate<Scanned>(`run(window.scanner = ${made(terminalId, more)})`);
}

/** Resolves with the command's uuid when the page was told so, or what comes after it. */
function told(page: Page, ...names: string[]): Promise<string> {
  return eventually(async () => {
    const latest = await page.evaluate<{ name: string; uuid: string } | undefined>("window.latest");
    assert.ok(latest !== undefined && names.includes(latest.name));
    return latest.uuid;
  });
}

const stateOf = async (uuid: string) => member((await relay.administrator().life(uuid)).body, "data", "state");

describe("the scan library, before a real relay", { skip: NO_BROWSER }, () => {
  before(() => relay.start());
  after(() => relay.stop());

  test("a scanned value comes with its format", async (t) => {
    const page = await till(t);
    const terminalId = await terminal(t, { scanValue: "8001234567890", scanFormat: "EAN_13" });
    const { result, events } = await scan(page, terminalId);
    assertMatches(result, { value: "8001234567890", format: "EAN_13" });
    assert.deepEqual([events[0], events.at(-1)], ["sent", "result"]);
    assert.equal(await stateOf(result?.uuid ?? ""), "done");
  });

  test("the module does the same, with headers of the page's own", async (t) => {
    const page = await till(t);
    const terminalId = await terminal(t);
    const { result } = await page.evaluate<Scanned>(`import("/js/scan.mjs").then(({ createScanner }) =>
      run(createScanner({ baseUrl: location.origin, terminalId: "${terminalId}", headers: async () => ({ "API-Key": "${API_KEY}" }), pollMs: 500 })))`);
    assert.equal(result?.value, "4006381333931");
  });

  for (const [scanOutcome, code] of [
    ["cancelled", "cancelled"],
    ["error", "camera_error"],
  ] as const) {
    test(`a terminal's ${scanOutcome} is told as ${code}`, async (t) => {
      const page = await till(t);
      const { error, events } = await scan(page, await terminal(t, { scanOutcome }));
      assertMatches(error, { name: "ScanError", code });
      assert.equal(events.at(-1), "error");
    });
  }

  test("a terminal that does not come is told as offline when the command's minute is over, before the timeout", async (t) => {
    const page = await till(t);
    const scanning = scan(page, relay.terminalId(), { timeoutSeconds: 600 });
    const uuid = await told(page, "waiting");
    relay.advance(61_000);
    assertMatches((await scanning).error, { code: "offline", uuid });
    assert.equal(await stateOf(uuid), "expired");
  });

  test("a terminal that does not come is reported as offline, too, when the scan's own time is over before the command's", async (t) => {
    const page = await till(t);
    await page.clock.install();
    const scanning = scan(page, relay.terminalId(), { timeoutSeconds: 10 });
    const uuid = await told(page, "waiting");
    await page.clock.fastForward(10_000);
    assertMatches((await scanning).error, { code: "offline", uuid });
    assert.equal(await stateOf(uuid), "cancelled");
  });

  test("a terminal that takes the command at the last moment is not offline", async (t) => {
    const page = await till(t);
    await page.clock.install();
    const terminalId = relay.terminalId();
    const scanning = scan(page, terminalId, { timeoutSeconds: 10 });
    const uuid = await told(page, "waiting");
    await page.route(`**/commands/${uuid}/cancel`, async (route) => {
      assertMatches(await relay.fleet().take(terminalId), { status: 200, body: { uuid } });
      await route.continue();
    });
    await page.clock.fastForward(10_000);
    assertMatches((await scanning).error, { code: "timeout", uuid });
  });

  test("nobody scans in time: the terminal is told to stop", async (t) => {
    const page = await till(t);
    await page.clock.install();
    const scanning = scan(page, await terminal(t, SLOW), { timeoutSeconds: 10 });
    const uuid = await told(page, "waiting");
    assert.equal(await stateOf(uuid), "sent");
    await page.clock.fastForward(10_000);
    assertMatches((await scanning).error, { code: "timeout", uuid });
    await eventually(async () => assert.equal(await stateOf(uuid), "cancelled"));
  });

  test("a value that is read while the time ends is not lost", async (t) => {
    const page = await till(t);
    await page.clock.install();
    const terminalId = relay.terminalId();
    const scanning = scan(page, terminalId, { timeoutSeconds: 10 });
    const uuid = await told(page, "waiting");
    // The last look but one, after which the time is over, still finds nothing.
    await page.route(`**/commands/${uuid}/cancel`, async (route) => {
      const fleet = relay.fleet();
      assertMatches(await fleet.take(terminalId), { status: 200, body: { uuid } });
      const posted = await fleet.post(`/api/v1/${terminalId}/receipt`, {
        uuid,
        service: "SCAN",
        result: "OK",
        scannedValue: "late",
        barcodeFormat: "QR_CODE",
      });
      assert.equal(posted.status, 200, posted.text);
      await route.continue();
    });
    await page.clock.fastForward(10_000);
    assertMatches((await scanning).result, { value: "late", format: "QR_CODE", uuid });
  });

  test("the page cancels while the command waits, and it is never sent", async (t) => {
    const page = await till(t);
    const scanning = scan(page, relay.terminalId());
    const uuid = await told(page, "waiting");
    await page.evaluate("scanner.cancel()");
    assertMatches((await scanning).error, { code: "cancelled", uuid });
    assert.equal(await stateOf(uuid), "cancelled");
  });

  test("the page cancels while the terminal scans", async (t) => {
    const page = await till(t);
    const scanning = scan(page, await terminal(t, SLOW));
    const uuid = await told(page, "waiting");
    await page.evaluate("scanner.cancel()");
    assertMatches((await scanning).error, { code: "cancelled", uuid });
    await eventually(async () => assert.equal(await stateOf(uuid), "cancelled"));
  });

  test("an aborted signal cancels, and no scan begins after it", async (t) => {
    const page = await till(t);
    const terminalId = relay.terminalId();
    const scanning = page.evaluate<Scanned>(
      `run(window.scanner = RelayScan.createScanner({ baseUrl: "", terminalId: "${terminalId}", apiKey: "${API_KEY}", signal: (window.stop = new AbortController()).signal }))`,
    );
    await told(page, "waiting");
    await page.evaluate("stop.abort()");
    assertMatches((await scanning).error, { code: "cancelled" });
    assert.deepEqual(await page.evaluate("run(scanner)"), {
      error: { name: "ScanError", code: "cancelled", uuid: null },
      events: ["error"],
    });
  });

  test("one scanner scans once at a time, and again afterwards", async (t) => {
    const page = await till(t);
    const scanning = scan(page, await terminal(t, SLOW));
    await told(page, "waiting");
    assertMatches(await page.evaluate("scanner.scan().catch(({ code }) => code)"), "busy");
    await page.evaluate("scanner.cancel()");
    assertMatches((await scanning).error, { code: "cancelled" });
    const again = page.evaluate<Scanned>("run(scanner)");
    await told(page, "sent", "waiting");
    await page.evaluate("scanner.cancel()");
    assertMatches((await again).error, { code: "cancelled" });
  });

  test("a terminal for which too many commands wait is told as busy", async (t) => {
    const page = await till(t);
    const terminalId = relay.terminalId();
    for (let waiting = 0; waiting < QUEUED_OF_SENDER_MAX; waiting += 1) {
      const sent = await relay.partner().post(`/api/v1/${terminalId}/scan`, {});
      assert.equal(sent.status, 200, sent.text);
    }
    assertMatches((await scan(page, terminalId)).error, { code: "busy" });
  });

  test("a wrong key is told as such, at once", async (t) => {
    const page = await till(t);
    const { error, events } = await scan(page, relay.terminalId(), { apiKey: "pk_live_of_nobody" });
    assertMatches(error, { code: "unauthorized" });
    assert.deepEqual(events, ["error"]);
  });

  test("the answer to the command is lost: it is sent again under its uuid, and scanned once", async (t) => {
    const page = await till(t);
    const received: string[] = [];
    const terminalId = relay.terminalId();
    await terminal(t, { terminalId });
    await page.route("**/scan", async (route) => {
      received.push(String(member(JSON.parse(route.request().postData() ?? "{}"), "uuid")));
      const answer = await route.fetch();
      if (received.length === 1) await route.abort();
      else await route.fulfill({ response: answer });
    });
    const { result } = await scan(page, terminalId);
    assert.equal(result?.value, "4006381333931");
    assert.deepEqual(received, [result?.uuid, result?.uuid]);
  });

  test("looks that fail are made again", async (t) => {
    const page = await till(t);
    const terminalId = await terminal(t);
    let looks = 0;
    await page.route("**/api/v1/commands/*", async (route) => {
      looks += 1;
      if (looks === 1) await route.abort();
      else if (looks === 2) await route.fulfill({ status: 502, body: "<h1>Bad gateway" });
      else await route.continue();
    });
    assert.equal((await scan(page, terminalId)).result?.value, "4006381333931");
  });

  test("a relay that cannot be reached is told as network after a while, a full one as rate_limited at once", async (t) => {
    const page = await till(t);
    await page.clock.install();
    let tries = 0;
    await page.route("**/api/v1/**", async (route) => {
      tries += 1;
      await route.abort();
    });
    const scanning = scan(page, relay.terminalId());
    await eventually(() => assert.ok(tries > 0));
    await page.clock.fastForward(16_000);
    const { error, events } = await scanning;
    assertMatches(error, { code: "network" });
    assert.deepEqual(events, ["error"]);
    await page.unroute("**/api/v1/**");
    await page.route("**/scan", (route) =>
      route.fulfill({ status: 429, contentType: "application/json", body: '{"status":"error","error":"Rate limit exceeded"}' }),
    );
    assertMatches((await scan(page, relay.terminalId())).error, { code: "rate_limited" });
  });

  test("times and ids that make no sense are refused when the scanner is made", async (t) => {
    const page = await till(t);
    for (const [more, kind] of [
      [{ timeoutSeconds: 9.9 }, "RangeError"],
      [{ timeoutSeconds: 601 }, "RangeError"],
      [{ timeoutSeconds: "x" }, "RangeError"],
      [{ pollMs: 499 }, "RangeError"],
      [{ pollMs: 10_001, timeoutSeconds: 10 }, "RangeError"],
      [{ terminalId: "../x" }, "TypeError"],
      [{ terminalId: "" }, "TypeError"],
      [{ timeoutSeconds: 10, pollMs: 500 }, "made"],
      [{ timeoutSeconds: 600 }, "made"],
    ] as const) {
      const code = `(() => { try { ${made("T1", more)}; return "made"; } catch (error) { return error.constructor.name; } })()`;
      assert.equal(await page.evaluate(code), kind, JSON.stringify(more));
    }
  });

  test("a listener that throws loses no scan, and one that left hears nothing", async (t) => {
    const page = await till(t);
    page.removeAllListeners("pageerror");
    const terminalId = await terminal(t);
    const heard = await page.evaluate(`(async () => {
      const heard = [];
      const scanner = ${made(terminalId)};
      scanner.on("sent", () => { throw new Error("the page's mistake"); });
      scanner.on("result", () => heard.push("left"))();
      heard.push((await scanner.scan()).value);
      return heard;
    })()`);
    assert.deepEqual(heard, ["4006381333931"]);
  });
});
