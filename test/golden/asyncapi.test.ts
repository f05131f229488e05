import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { Value } from "@sinclair/typebox/value";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import type { AppVersion } from "../../engine/apps/app-version.ts";
import { createPushUpdate } from "../../engine/apps/push-update.ts";
import { configText } from "../../engine/settings/configure-terminal.ts";
import { asyncApiText } from "../../http/surfaces/parts/terminal-asyncapi.ts";
import * as messages from "../../http/surfaces/parts/terminal-messages.ts";
import { VERSION } from "../../infra/node/boot/version.ts";
import { connectedTerminal, createWorld, FakeTerminal, settled } from "../http/stomp/stomp-world.ts";

const GOLDEN = new URL("asyncapi.json", import.meta.url);
const text = asyncApiText(VERSION);
const document: Document = JSON.parse(text);

interface Message {
  headers: object;
  payload?: object;
  examples: { headers: object; payload?: unknown }[];
}

interface Document {
  channels: { [name: string]: { address: string; messages: object; parameters?: object } };
  components: { messages: { [name: string]: Message } };
}

test("keeps the AsyncAPI document equal to its golden file", () => {
  const now = `${JSON.stringify(document, null, 2)}\n`;
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(GOLDEN, now);
  const [ours, theirs] = [now.split("\n"), readFileSync(GOLDEN, "utf8").split("\n")];
  const line = ours.findIndex((one, index) => one !== theirs[index]);
  const hint = "If the change is meant, renew it with UPDATE_GOLDEN=1 npm test -- golden/asyncapi, and read the difference before it is committed.";
  assert.equal(now, theirs.join("\n"), `test/golden/asyncapi.json differs from line ${line + 1} on: ${ours[line]?.trim()}. ${hint}`);
});

test("satisfies AsyncAPI's own schema", () => {
  const schema = createRequire(import.meta.url)("@asyncapi/specs/schemas/3.0.0.json");
  // The schema contains its own copy of the meta-schema.
  const ajv = new Ajv({ strict: false, allErrors: true, meta: false, validateSchema: false });
  formats.default(ajv);
  const isValid = ajv.compile(schema);
  assert.ok(isValid(document), JSON.stringify(isValid.errors?.slice(0, 5), null, 2));
  assert.equal(isValid({ ...document, channels: { commands: { address: 1 } } }), false, "the schema finds what is wrong");
});

test("resolves every reference, and gives every message a channel", () => {
  const follow = (pointer: string) =>
    pointer
      .slice(2)
      .split("/")
      .reduce<unknown>((at, step) => (typeof at === "object" && at !== null ? Reflect.get(at, step) : undefined), document);
  for (const [, pointer] of text.matchAll(/"\$ref":"([^"]+)"/g)) assert.ok(follow(pointer ?? "") !== undefined, pointer);
  const onChannels = new Set(Object.values(document.channels).flatMap((channel) => Object.keys(channel.messages)));
  assert.deepEqual(Object.keys(document.components.messages).sort(), [...onChannels].sort());
  for (const { address, parameters } of Object.values(document.channels)) {
    assert.deepEqual(Object.keys(parameters ?? {}), address.includes("{terminalId}") ? ["terminalId"] : []);
  }
});

test("matches every example with its schema", () => {
  const ajv = new Ajv({ strict: false });
  for (const [name, { headers, payload, examples }] of Object.entries(document.components.messages)) {
    assert.ok(examples.length > 0, name);
    for (const example of examples) {
      assert.ok(ajv.validate(headers, example.headers), `${name}: ${ajv.errorsText()}`);
      assert.equal(example.payload !== undefined, payload !== undefined, name);
      if (payload !== undefined) assert.ok(ajv.validate(payload, example.payload), `${name}: ${ajv.errorsText()}`);
    }
  }
});

test("matches the frames that the relay writes with their schemas, in each version of STOMP", () => {
  const schemas = {
    CONNECTED: messages.ConnectedHeaders,
    MESSAGE: messages.MessageHeaders,
    RECEIPT: messages.ReceiptHeaders,
    ERROR: messages.ErrorHeaders,
  };
  const written = new Set<string>();
  for (const version of ["1.0", "1.1", "1.2"] as const) {
    for (const ack of ["auto", "client"]) {
      const world = createWorld();
      const terminal = connectedTerminal(world, "T1", { ack, receipt: "r1" }, version);
      world.push("T1", "u1");
      terminal.send("SEND", { destination: "/app/terminal/T2/ping", receipt: "r2" });
      const stranger = new FakeTerminal(world);
      stranger.send("CONNECT", { "accept-version": "3.0" });
      for (const frame of [...terminal.frames, ...stranger.frames]) {
        if (frame === "beat") continue;
        const schema = Object.entries(schemas).find(([command]) => command === frame.command)?.[1];
        assert.ok(schema !== undefined && Value.Check(schema, frame.headers), `${version} ${JSON.stringify(frame)}`);
        written.add(frame.command);
      }
    }
  }
  assert.deepEqual([...written].sort(), Object.keys(schemas).sort());
});

test("accepts frames of terminals that match these schemas", async () => {
  const { connect, subscribe, result, ping, acknowledgement, disconnect } = document.components.messages;
  const world = createWorld({ authenticate: () => ({ type: "terminal", terminalId: "SIM00001" }) });
  const terminal = new FakeTerminal(world);
  const [push, sent] = [() => world.push("SIM00001", "u1"), [connect, subscribe, "push", acknowledgement, result, ping, disconnect]];
  for (const one of sent) {
    if (one === "push") push();
    else if (typeof one === "object") {
      const [{ headers, payload } = { headers: {} }] = one.examples;
      const frame = Reflect.get(one, "name");
      terminal.send(String(frame), { ...headers }, payload === undefined ? "" : JSON.stringify(payload));
    } else assert.fail("a message is missing");
  }
  await settled();
  assert.equal(terminal.frames.some((frame) => frame !== "beat" && frame.command === "ERROR"), false);
  assert.deepEqual([world.posted.length, terminal.last?.headers["receipt-id"]], [1, "bye"]);
  assert.ok(world.told.includes("ack SIM00001 s1/0 u1"));
});

test("matches the notifications that the relay sends with their schemas", async () => {
  const told: string[] = [];
  const ids = { uuid: () => "u1" };
  const version: AppVersion = {
    id: 1,
    versionCode: 42,
    versionName: "4.2",
    mandatory: true,
    releaseNotes: "",
    active: true,
    createdAtMs: 0,
    package: { fileName: "pos.apk", md5: "0cc175b9c0f1b6a831c399e269772661", bytes: 5, storedAtMs: 0 },
    deleting: false,
  };
  const terminals = {
    broadcast: async (_: string | null, text: string) => {
      told.push(text);
      return 1;
    },
    tellHere: (_: string, text: () => string) => told.push(text()),
  };
  await createPushUpdate({ version: () => version }, terminals, ids, (fileName) => `https://relay.example/${fileName}`)(1, "T1");
  const [update = ""] = told;
  assert.ok(Value.Check(messages.ForceUpdateNotice, JSON.parse(update)), update);

  const settings = { language: "it", tips: false, timeoutSeconds: 45, footer: null };
  const config = configText(ids, "T1", settings);
  assert.ok(Value.Check(messages.ConfigNotice, JSON.parse(config)), config);
});
