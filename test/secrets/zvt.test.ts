import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { ClassicLevel } from "classic-level";
import { freePort } from "../../infra/local/free-port.ts";
import { NO_CLICKHOUSE, placeOf, startNodeProcess } from "../fault/node-process.ts";
import { ADMINISTRATOR, RelayCaller, TERMINAL } from "../fault/relay-caller.ts";
import { filesUnder } from "../support/files-under.ts";
import { member } from "../support/http/matches.ts";
import { Register } from "../support/people/register.ts";
import { eventually, within } from "../support/within.ts";

const TERMINAL_ID = "TILL0001";
const PASSWORD = "860193";
const WRONG_PASSWORD = "750284";
/** Card numbers that a register, or a terminal, puts where none belongs; each has its own place. */
const PANS = {
  typed: "4929718530462719",
  track2: "5412751234123456",
  unreadable: "4485275742308327",
  displayed: "4716258050958645",
  slip: "4024007103939509",
  message: "4532756279624064",
  card: "4556737586899855",
};

/** Digits as text, as bytes of two digits each, and those bytes as hexadecimal text in either spelling of their gaps. */
function formsOf(digits: string): Buffer[] {
  const packed = Buffer.from(digits, "hex");
  const spaced = digits.match(/../g)?.join(" ") ?? "";
  const asText = Buffer.from(digits).toString("hex");
  return [Buffer.from(digits), packed, Buffer.from(spaced), Buffer.from(asText), Buffer.from(packed.toString("base64").slice(0, -4))];
}

function text(hexTag: string, value: string): string {
  return `${hexTag}f${String(Math.floor(value.length / 10))}f${value.length % 10}${Buffer.from(value).toString("hex")}`;
}

function frame(command: string, data: string): string {
  return command + (data.length / 2).toString(16).padStart(2, "0") + data;
}

test("no card number and no password of a register is in logs, raw frames, metrics, answers or the data directory", {
  timeout: 180_000,
}, async (context) => {
  const place = await placeOf(context);
  const zvtPort = await freePort();
  const environment = { ...NO_CLICKHOUSE, RELAY_SHARDS: "1", RELAY_LOG_LEVEL: "trace", RELAY_ZVT_PORT: String(zvtPort) };
  const first = startNodeProcess(context, { ...place, environment });
  await first.ready();
  const setUp = new RelayCaller(first.url);
  const route = { id: "till-1", terminalId: TERMINAL_ID, partnerUsername: "demo", password: PASSWORD };
  const config = { enabled: true, loggingLevel: "DEBUG", logRawBytes: true, routes: [route] };
  const stored = await setUp.post("/admin/zvt/config", config, ADMINISTRATOR);
  assert.equal(stored?.status, 200, stored?.text);
  await setUp.close();
  await first.kill();

  const node = startNodeProcess(context, { ...place, environment });
  await node.ready();
  const caller = new RelayCaller(node.url);
  const answers = [stored?.text ?? ""];

  const wrong = await Register.connect(zvtPort);
  await wrong.command(frame("0600", `${WRONG_PASSWORD}860978`));
  await wrong.command(frame("0600", WRONG_PASSWORD));
  wrong.destroy();

  const register = await Register.connect(zvtPort);
  const registered = await register.command(frame("0600", `${PASSWORD}860978`));
  assert.match(registered.at(-1) ?? "", /^060f/);
  const amount = "04000000001000";
  const refusals = [
    frame("0601", `${amount}22f0f8${PANS.typed}`),
    frame("0601", `${amount}23f1f2${PANS.track2}d2512201`),
    frame("0601", `${amount}ff${PANS.unreadable}`),
    frame("0601", `${amount}06121010${Buffer.from(PANS.typed).toString("hex")}`),
  ];
  for (const hex of refusals) await within(hex, register.command(hex));
  register.send(frame("06e0", text("f1", PANS.displayed)));
  assert.equal(await register.next(), "800000");
  register.send(frame("06c0", PANS.unreadable));
  assert.match((await register.next()) ?? "", /^84/);

  // The terminal polls, and says more of the card than it should.
  const paid = eventually(async () => {
    const frames = await register.pay(1_000);
    assert.match(frames.at(-1) ?? "", /^060f/, frames.join());
    return frames;
  });
  const uuid = await eventually(async () => {
    const taken = await caller.poll(TERMINAL_ID);
    const found = member(taken?.body, "uuid");
    assert.ok(typeof found === "string");
    return found;
  });
  const result = {
    ...{ uuid, result: "OK", amount: 1_000, type: "CARD", message: `card ${PANS.message} ok` },
    card: { brand: "VISA", maskedPan: PANS.card, pan: PANS.card },
    receipt: { text: `SALE\n${PANS.slip}\n10.00` },
  };
  const posted = await caller.post(`/api/v1/${TERMINAL_ID}/receipt`, result, TERMINAL);
  assert.equal(posted?.status, 200, posted?.text);
  const frames = await paid;
  answers.push(...frames.map((one) => one ?? ""));
  answers.push(...(await register.command("0620050000000301")).map((one) => one ?? ""));
  register.destroy();
  await register.next();
  for (const path of ["/admin/zvt/config", "/admin/zvt/routes", "/admin/attention"]) {
    answers.push((await caller.get(path, ADMINISTRATOR))?.text ?? "");
  }
  const metrics = (await caller.get("/metrics"))?.text ?? "";
  assert.match(metrics, /relay_zvt_frames_total/);
  await caller.close();

  node.signal("SIGTERM");
  assert.deepEqual(await node.exited, { code: 0, signal: null }, node.output().slice(-3_000));
  const level = new ClassicLevel(join(place.dataDirectory, "state"), { createIfMissing: false });
  await level.open();
  await level.compactRange("", "\uffff");
  await level.close();

  const log = node.output();
  assert.match(log, /0601/, "raw frames are logged");
  assert.match(log, /password=\*\*\*\*/);
  const files = await filesUnder(place.dataDirectory);
  assert.ok(
    files.some(({ bytes }) => bytes.includes("till-1")),
    "the search looks in the wrong place",
  );
  const places = [{ name: "log", bytes: Buffer.from(log) }, { name: "metrics", bytes: Buffer.from(metrics) }, ...files];
  const secrets = { ...PANS, password: PASSWORD, wrongPassword: WRONG_PASSWORD };
  const found: string[] = [];
  for (const [what, digits] of Object.entries(secrets)) {
    // Three bytes of a password stand in any file by chance, and its six digits in numbers.
    const forms = digits.length === 6 ? [Buffer.from(digits)] : formsOf(digits);
    for (const { name, bytes } of [...places, { name: "answers", bytes: Buffer.from(answers.join("\n")) }]) {
      for (const form of forms) if (bytes.includes(form)) found.push(`${what} in ${name}`);
    }
  }
  assert.deepEqual(found, []);
});
