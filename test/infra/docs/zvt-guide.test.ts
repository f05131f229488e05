import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { ZVT_CODES } from "../../../engine/zvt/result-codes.ts";
import { ZVT_DEFAULT, ZVT_NETWORKS_MAX, ZVT_ROUTES_MAX } from "../../../engine/zvt/zvt-config.ts";
import { CODES, COMMANDS } from "../../../http/zvt/codes.ts";
import * as limits from "../../../http/zvt/limits.ts";
import { surfacesOf } from "../../../infra/node/wiring/shared/endpoints.ts";
import { PAID } from "../../http/zvt/fake-payments.ts";
import { ACK, ZvtWorld } from "../../http/zvt/zvt-world.ts";

const GUIDE = readFileSync("infra/docs/zvt.md", "utf8");

/** The text below a heading, up to the next one of any level. */
function below(heading: string): string {
  const [, text] = new RegExp(`^#+ ${heading}\\n([\\s\\S]*?)(?=^#+ |(?![\\s\\S]))`, "m").exec(GUIDE) ?? [];
  return text ?? assert.fail(`there is no ${heading}`);
}

/** Rows of the tables in a text, without their heads. */
function rowsIn(text: string): string[][] {
  const lines = text.split("\n").filter((line) => line.startsWith("| "));
  return lines.map((line) => line.split("|").slice(1, -1)).map((cells) => cells.map((cell) => cell.trim()));
}

const codesIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
const hex = (value: number, digits = 2) => value.toString(16).toUpperCase().padStart(digits, "0");

/** What a terminal sends; the rest is of registers. */
const OF_TERMINALS: readonly number[] = [
  COMMANDS.completion,
  COMMANDS.abort,
  COMMANDS.printLine,
  COMMANDS.printTextBlock,
  COMMANDS.statusInformation,
  COMMANDS.intermediateStatus,
  COMMANDS.acknowledgement,
];

/** Commands that need data to be answered as the guide says. */
const DATA: { readonly [command: string]: readonly string[] } = {
  "06 00": ["06 12 34 56 86 09 78", "06 12 34 56 86 07 56"],
  "06 01": ["0A 04 00 00 00 00 12 34 49 09 78"],
  "06 20": ["03 00 00 00"],
  "06 23": ["03 87 00 01", "03 87 FF FF"],
};

test("the guide's table of commands has every command of a register, and what the relay answers to it", async () => {
  const rows = rowsIn(below("What is answered")).filter(([command]) => command?.startsWith("`"));
  const named = rows.flatMap(([command = ""]) => codesIn(command));
  const spoken = Object.values(COMMANDS).filter((command) => !OF_TERMINALS.includes(command));
  const expected = spoken.map((command) => hex(command, 4).replace(/^../, "$& "));
  assert.deepEqual(named.toSorted(), expected.toSorted());
  for (const [commands = "", , answer = ""] of rows) {
    const frames = codesIn(answer).map((frame) => frame.replace(" …", ""));
    for (const command of codesIn(commands)) {
      for (const data of DATA[command] ?? ["00"]) {
        const world = new ZvtWorld();
        const register = world.connect();
        const received = await register.send(`${command} ${data}`);
        if (command === "06 01") world.payments.end(PAID);
        received.push(...register.taken(), ...(await register.send(ACK)));
        assert.ok(received.length > 0);
        for (const frame of received)
          assert.ok(
            frames.some((said) => frame.startsWith(said)),
            `${command}: ${frame} is not in ${answer}`,
          );
      }
    }
  }
});

test("what the guide does not name is refused as it says", async () => {
  const [, examples = "", answer = ""] = rowsIn(below("What is answered")).find(([command]) => command === "anything else") ?? [];
  for (const command of codesIn(examples)) {
    const sent = command === "08" ? "08 14 00" : `${command} 00`;
    assert.deepEqual(await new ZvtWorld().connect().send(sent), codesIn(answer), command);
  }
});

test("the guide's table of result codes has every code that the relay sends, and none besides", () => {
  const named = rowsIn(below("Result codes")).flatMap(([code = ""]) => codesIn(code));
  const sent = [...Object.values(CODES), ...Object.values(ZVT_CODES)].map((code) => hex(code));
  assert.deepEqual([...new Set(named)].toSorted(), [...new Set([...sent, "01", "63"])].toSorted());
});

test("the guide's members of the configuration and their defaults are the engine's", () => {
  const rows = rowsIn(below("Set up a register")).filter(([member]) => member?.startsWith("`"));
  const said = new Map<string, string>();
  for (const [members = "", defaults = ""] of rows) {
    const values = codesIn(defaults);
    for (const [index, member] of codesIn(members).entries()) said.set(member, values[index] ?? "");
  }
  assert.deepEqual(
    Object.fromEntries(said),
    Object.fromEntries(Object.entries(ZVT_DEFAULT).map(([key, value]) => [key, JSON.stringify(value)])),
  );
});

test("the guide's limits are those of the code", () => {
  const said = rowsIn(below("Limits")).map((cells) => cells.join(": "));
  const expected = [
    `routes: ${ZVT_ROUTES_MAX}`,
    `networks of one route, and in \`allowedClients\`: ${ZVT_NETWORKS_MAX}`,
    `data of one frame of a register: ${limits.FRAME_DATA_BYTES_MAX.toLocaleString("en")} bytes`,
    `from the first byte of a frame to its last: ${limits.PARTIAL_FRAME_TIMEOUT_MS / 1_000} s`,
    `from a frame of the relay to its acknowledgement: ${limits.ACK_TIMEOUT_MS / 1_000} s`,
    `status enquiries of one connection: ${limits.ENQUIRIES_PER_SECOND_MAX} a second`,
    `wrong passwords of one connection: ${limits.WRONG_PASSWORDS_MAX},`,
    `refused frames in a row, without a command that is carried out between them: ${limits.REFUSALS_MAX},`,
    `commands that may wait while one is decided: ${limits.HELD_FRAMES_MAX}`,
    `lines of each copy of a slip that are sent: ${limits.SLIP_LINES_MAX}, of at most ${limits.SLIP_LINE_CHARACTERS_MAX} characters`,
    `status frames (\`04 FF\`) while nothing changes: every ${limits.PROGRESS_INTERVAL_MS / 1_000} s`,
  ];
  for (const limit of expected)
    assert.ok(
      said.some((row) => row.startsWith(limit)),
      limit,
    );
  assert.equal(said.filter((row) => row !== ": ").length, expected.length);
  assert.ok(GUIDE.includes(`which begins after ${limits.KEEP_ALIVE_MS / 1_000} s`));
});

test("the guide names every reason of a refusal and of a closed connection", () => {
  const sources = readdirSync("http/zvt").filter((name) => name.endsWith(".ts"));
  const code = sources.map((name) => readFileSync(`http/zvt/${name}`, "utf8")).join("\n");
  const found = (...patterns: RegExp[]) => patterns.flatMap((pattern) => [...code.matchAll(pattern)].map(([, word = ""]) => word));
  const logs = below("Logs");
  const [, closed = "", refused = ""] = /Why a connection ended:([\s\S]*?)\n\nWhat is refused:([\s\S]*?)\n\n/.exec(logs) ?? [];

  const violations = ["not_zvt", "frame_too_large"];
  const closing = [
    ...violations,
    ...found(/#close\("(\w+)"\)/g, /type: "close", reason: "(\w+)"/g, /type: "closed", reason: "(\w+)"/g),
    ...found(/#close\(inFlight === null \? "(\w+)" : "\w+"\)/g, /#close\(inFlight === null \? "\w+" : "(\w+)"\)/g),
  ];
  assert.deepEqual(codesIn(closed).toSorted(), [...new Set(closing)].toSorted());

  const wiring = readFileSync("infra/node/wiring/terminals/zvt.ts", "utf8");
  const [, counted = ""] = /const REFUSING[^[]*\[([^\]]*)\]/.exec(wiring) ?? [];
  const refusing = [
    ...[...counted.matchAll(/"(\w+)"/g)].map(([, word = ""]) => word),
    ...found(/#(?:refuse|refuseOutright|count)\("(\w+)"/g, /\? "(offline)" : "not_permitted"/g),
    ...found(/: "(not_permitted)"/g, /: "(too_many)"/g, /\? "(not_allowed)"/g),
  ];
  assert.deepEqual(codesIn(refused).toSorted(), [...new Set(refusing)].toSorted());
});

test("the paths and variables that the guide names are there", () => {
  const served = Object.values(surfacesOf({ openTerminalLogs: false, packageBytesMax: 1 }))
    .flat()
    .map(({ path }) => path.replaceAll(/\{[^}]+\}/g, "{}"));
  const named = [...GUIDE.matchAll(/(?<![\w.])\/(?:admin|api|health)\/[\w/{}-]*[\w}]/g)].map(([path]) =>
    path.replaceAll(/\{[^}]+\}/g, "{}").replace("/till-1/", "/{}/"),
  );
  assert.deepEqual(
    [...new Set(named)].filter((path) => !served.includes(path) && path !== "/health/ready"),
    [],
  );
  const configuration = readFileSync("infra/docs/configuration.md", "utf8");
  for (const [name] of GUIDE.matchAll(/RELAY_[A-Z_]+/g)) assert.ok(configuration.includes(`\`${name}\``), name);
});
