import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { ConfigRefused } from "../../../../infra/node/boot/config-reader.ts";
import { parseEnvironmentFile, withEnvironmentFile } from "../../../../infra/node/boot/environment-file.ts";

const READ: [title: string, text: string, variables: { [name: string]: string }][] = [
  ["nothing", "", {}],
  ["comments and empty lines", "# a\n\n  ; b\n   \n", {}],
  ["values as they stand", "RELAY_MODE=production\nRELAY_PORT = 8443 \n", { RELAY_MODE: "production", RELAY_PORT: "8443" }],
  ["lines of Windows", "RELAY_PORT=1\r\nRELAY_HOST=::1\r\n", { RELAY_PORT: "1", RELAY_HOST: "::1" }],
  [
    "quotes of both kinds",
    `RELAY_MAIL_FROM="Pay <a@b.example>"\nRELAY_HOST='::'\n`,
    { RELAY_MAIL_FROM: "Pay <a@b.example>", RELAY_HOST: "::" },
  ],
  ["a # within a value", "RELAY_ADMIN_PASSWORD=a#b c=d", { RELAY_ADMIN_PASSWORD: "a#b c=d" }],
  ["no value", "RELAY_PUBLIC_URL=\n", { RELAY_PUBLIC_URL: "" }],
];

for (const [title, text, variables] of READ) {
  test(`an environment file: ${title}`, () => assert.deepEqual(Object.fromEntries(parseEnvironmentFile(text, "f")), variables));
}

const REFUSED: [title: string, text: string, told: RegExp][] = [
  ["a line without =", "RELAY_MODE\n", /f, line 1 is not RELAY_NAME=value/],
  ["a variable of something else", "# x\nNODE_OPTIONS=--inspect\n", /f, line 2 is not RELAY_NAME=value/],
  ["export, as shells have it", "export RELAY_PORT=1\n", /f, line 1 is not RELAY_NAME=value/],
  ["a variable twice", "RELAY_PORT=1\nRELAY_PORT=2\n", /f, line 2 sets RELAY_PORT, which an earlier line already sets/],
  ["its own name", "RELAY_ENV_FILE=/other\n", /f, line 1 sets RELAY_ENV_FILE/],
  ["quotes that do not end", 'RELAY_SECRET_KEY="geheim\n', /f, line 1 has a value of RELAY_SECRET_KEY with an unterminated quote/],
  ["what shells would replace", 'RELAY_SECRET_KEY="ge\\"heim"\n', /f, line 1 has a value of RELAY_SECRET_KEY/],
];

for (const [title, text, told] of REFUSED) {
  test(`an environment file is refused for ${title}, without a value`, () => {
    assert.throws(
      () => parseEnvironmentFile(text, "f"),
      (error) => error instanceof ConfigRefused && told.test(error.message) && !/geheim|heim|--inspect/.test(error.message),
    );
  });
}

async function fileWith(t: TestContext, text: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "relay-environment-"));
  t.after(() => rm(directory, { recursive: true }));
  const file = join(directory, "relay.env");
  await writeFile(file, text);
  return file;
}

test("what the file has comes to the environment", async (t) => {
  const file = await fileWith(t, "RELAY_PORT=8443\n");
  const environment = { PATH: "/bin", RELAY_HOST: "::1", RELAY_PORT: " ", RELAY_ENV_FILE: file };
  assert.deepEqual(withEnvironmentFile(environment), { ...environment, RELAY_PORT: "8443" });
  assert.deepEqual(withEnvironmentFile({ RELAY_PORT: "1" }), { RELAY_PORT: "1" });
});

test("a variable of both, a file that is not there, and one that is too long are refused", async (t) => {
  const file = await fileWith(t, "RELAY_PORT=8443\n");
  assert.throws(
    () => withEnvironmentFile({ RELAY_ENV_FILE: file, RELAY_PORT: "1" }),
    /RELAY_PORT is set in the environment and in .*relay\.env/,
  );
  assert.throws(
    () => withEnvironmentFile({ RELAY_ENV_FILE: `${file}.not` }),
    /RELAY_ENV_FILE \(.*relay\.env\.not\) cannot be read: ENOENT/,
  );
  const long = await fileWith(t, `#${"x".repeat(65_536)}\n`);
  assert.throws(() => withEnvironmentFile({ RELAY_ENV_FILE: long }), /more than 65536 bytes/);
});

test("a folder, a pipe that nobody writes to, and a device without an end are refused at once", async (t) => {
  const file = await fileWith(t, "");
  const pipe = `${file}.pipe`;
  execFileSync("mkfifo", [pipe]);
  for (const path of [dirname(file), pipe, "/dev/zero"]) {
    assert.throws(() => withEnvironmentFile({ RELAY_ENV_FILE: path }), /RELAY_ENV_FILE \(.*\) is not a file/);
  }
});
