import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Mail } from "../../../../../engine/mails/mail.ts";
import { createMailStore, type MailStore, mailOperations } from "../../../../../engine/mails/mail-store.ts";
import { sha256Hex } from "../../../../../http/auth/digest.ts";
import { createSecretBox } from "../../../../../infra/node/boot/secret-box.ts";
import { openEmbeddedKv } from "../../../../../storage/kv/embedded.ts";
import { HOUR_MS, mail } from "../../../../engine/mails/mail-world.ts";
import { NO_CLICKHOUSE, placeOf, startNodeProcess } from "../../../../fault/node-process.ts";
import { formsOf } from "../../../../secrets/forms-of.ts";
import { atEnd } from "../../../../storage/kv/world.ts";
import { assertMatches } from "../../../../support/http/matches.ts";
import { ADMIN, startTestNode } from "../../../../support/node/node.ts";
import { type SmtpServer, type SmtpServerOptions, startSmtpServer } from "../../../../support/node/smtp-server.ts";
import { eventually } from "../../../../support/within.ts";

const [FORMER_KEY, KEY] = [sha256Hex("former"), sha256Hex("present")];
const GATEWAY = { RELAY_GATEWAY_URL: "http://127.0.0.1:1" };
const FROM = "Payments <no-reply@relay.example>";
const LOGIN = { user: "relay", password: "smtp-password-that-nobody-is-told" };

async function smtp(t: TestContext, options: SmtpServerOptions = {}): Promise<SmtpServer> {
  const server = await startSmtpServer(options);
  atEnd(t, () => server.close());
  return server;
}

/** Runs operations on the store of a stopped node. */
async function onStore<T>(dataDirectory: string, work: (store: MailStore) => Promise<T>, mails: readonly Mail[] = []): Promise<T> {
  const kv = await openEmbeddedKv({ directory: `${dataDirectory}/state`, nowMs: Date.now });
  try {
    const terms = { box: createSecretBox({ current: FORMER_KEY, old: null }), atMs: Date.now(), expiresAtMs: Date.now() + 72 * HOUR_MS };
    await kv.commit({ checks: [], operations: mails.flatMap((one) => mailOperations(one, terms)) });
    return await work(createMailStore(kv));
  } finally {
    await kv.close();
  }
}

test("keeps mails of a whole node in the outbox, and sends them once it has a mail server, also under a new key", {
  timeout: 120_000,
}, async (t) => {
  let node = await startTestNode({ RELAY_SECRET_KEY: FORMER_KEY, ...NO_CLICKHOUSE, ...GATEWAY });
  node = await node.restart((directory) => onStore(directory, async () => undefined, [mail("m1")]));
  atEnd(t, () => node.stop());
  const get = (path: string) => fetch(`http://127.0.0.1:${node.port}${path}`, { headers: { authorization: ADMIN } });
  const page = await (await get("/admin/outbox")).text();
  assert.match(page, /href="https:\/\/relay\.example\/portal\/invitation\/token-of-ada"/);
  assertMatches(await (await get("/admin/mails/m1")).json(), { data: { state: "QUEUED", text: mail("m1").text } });
  const audit = await (await get("/admin/audit")).text();
  assert.equal(audit.match(/"mail\.read"/g)?.length, 2);
  assert.doesNotMatch(audit, /token-of-ada|ada@/);
  // The mail is read and stays in the queue.
  await eventually(async () => assert.match(await (await get("/metrics")).text(), /^relay_mails_queued\{.*kind="invitation".*\} 1$/m));

  const server = await smtp(t);
  node = await node.restart(undefined, {
    ...{ RELAY_SECRET_KEY: KEY, RELAY_SECRET_KEY_OLD: FORMER_KEY },
    ...{ RELAY_SMTP_URL: `smtp://127.0.0.1:${server.port}`, RELAY_MAIL_FROM: FROM },
  });
  node.advance(16 * 60_000);
  await eventually(() => assert.equal(server.mails.length, 1));
  assert.match(server.mails[0]?.data ?? "", /token-of-ada/);
  await eventually(async () => {
    const metrics = await (await get("/metrics")).text();
    assert.match(metrics, /^relay_mails_total\{.*outcome="sent".*\} 1$/m);
    assert.match(metrics, /^relay_mails_queued\{.*kind="invitation".*\} 0$/m);
  });
  assertMatches(await (await get("/admin/mails/m1")).json(), { data: { state: "SENT", text: null } });
});

test("never puts contents or recipients of mails into the log, the metrics or, after their end, the store", {
  timeout: 120_000,
}, async (t) => {
  const refused = "grace@shop.example";
  const server = await smtp(t, {
    login: LOGIN,
    onRecipient: (address) => (address === refused ? `550 5.1.1 <${address}> is not here` : "250 2.1.5 ok"),
  });
  const place = await placeOf(t);
  const environment = { ...NO_CLICKHOUSE, ...GATEWAY, RELAY_LOG_LEVEL: "trace", RELAY_SECRET_KEY: FORMER_KEY };
  const empty = startNodeProcess(t, { ...place, environment });
  await empty.ready();
  empty.signal("SIGTERM");
  await empty.exited;
  await onStore(place.dataDirectory, async () => undefined, [mail("m1"), mail("m2", { to: refused })]);

  const node = startNodeProcess(t, {
    ...place,
    environment: {
      ...environment,
      RELAY_SMTP_URL: `smtp://${LOGIN.user}:${LOGIN.password}@127.0.0.1:${server.port}`,
      RELAY_MAIL_FROM: FROM,
    },
  });
  await node.ready();
  const metrics = () => fetch(`${node.url}/metrics`, { headers: { authorization: ADMIN } }).then((answer) => answer.text());
  const text = await eventually(async () => {
    const found = await metrics();
    assert.match(found, /^relay_mails_total\{.*outcome="sent".*\} 1$/m);
    assert.match(found, /^relay_mails_total\{.*outcome="refused".*\} 1$/m);
    return found;
  });
  assert.deepEqual([server.mails.length, server.mails[0]?.user], [1, LOGIN.user]);
  node.signal("SIGTERM");
  assert.deepEqual(await node.exited, { code: 0, signal: null }, node.output());
  assert.match(node.output(), /mail refused/);
  const personal = ["ada@shop.example", refused, "token-of-ada", "You are invited", LOGIN.password];
  for (const secret of personal) {
    for (const form of formsOf(secret)) {
      assert.equal(Buffer.from(node.output()).includes(form), false, `${secret} in the log`);
      assert.equal(Buffer.from(text).includes(form), false, `${secret} in the metrics`);
    }
  }
  let controls = 0;
  for (const file of await readdir(place.dataDirectory, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const bytes = await readFile(join(file.parentPath, file.name));
    if (bytes.includes("ada@shop.example")) controls += 1;
    for (const secret of ["token-of-ada", "You are invited", LOGIN.password]) {
      for (const form of formsOf(secret)) assert.equal(bytes.includes(form), false, `${secret} in ${file.name}`);
    }
  }
  assert.ok(controls > 0, "to whom they went is stored, so what is looked for would be found");
  await onStore(place.dataDirectory, async (store) => {
    const records = await store.page(null, 10);
    assert.deepEqual(records.map(({ id, state, sealed }) => [id, state, sealed]).sort(), [
      ["m1", "SENT", null],
      ["m2", "FAILED", null],
    ]);
  });
});
