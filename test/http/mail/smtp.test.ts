import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { MailNotSent } from "../../../engine/mails/mail.ts";
import { createSmtpMailer, type SmtpMailer, type SmtpOptions } from "../../../http/mail/smtp.ts";
import { mail } from "../../engine/mails/mail-world.ts";
import { type SmtpServer, type SmtpServerOptions, startSmtpServer } from "../../support/node/smtp-server.ts";

const pem = (name: string) => readFileSync(new URL(`../server/tls/${name}`, import.meta.url), "utf8");
const TLS = { cert: pem("test-only-cert.pem"), key: pem("test-only-key.pem") };
/** A port that a server has had may be another's by now; nobody listens on this one. */
const NOBODYS_PORT = 1;
const LOGIN = { user: "relay", password: "p@ss word" };

async function open(
  t: TestContext,
  server: SmtpServerOptions = {},
  options: Partial<SmtpOptions> = {},
): Promise<{ server: SmtpServer; mailer: SmtpMailer }> {
  const started = await startSmtpServer(server);
  const mailer = createSmtpMailer({
    ...{ host: "127.0.0.1", port: started.port, secure: false, requireTls: false, login: null, ca: TLS.cert },
    from: "Payments <no-reply@relay.example>",
    ...options,
  });
  t.after(async () => {
    mailer.close();
    await started.close();
  });
  return { server: started, mailer };
}

/** What is told of a mail that was not sent: with no address, and nothing of its text. */
async function reasonOf(sending: Promise<unknown>): Promise<string> {
  const error = await sending.then(
    () => assert.fail("it was sent"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof MailNotSent, String(error));
  assert.equal(error.cause, undefined);
  assert.doesNotMatch(`${error.message} ${error.stack}`, /ada|shop\.example|token-of-ada|p@ss/);
  return error.message;
}

test("a mail arrives as it was written, from the configured sender, with an id that is the same for every attempt", async (t) => {
  const { server, mailer } = await open(t);
  assert.equal(await mailer.send(mail("m1")), "sent");
  assert.equal(await mailer.send(mail("m1")), "sent");
  const [one, two] = server.mails;
  assert.deepEqual([one?.from, one?.to, one?.user], ["no-reply@relay.example", ["ada@shop.example"], null]);
  for (const line of [
    /^From: Payments <no-reply@relay\.example>\r$/m,
    /^To: ada@shop\.example\r$/m,
    /^Subject: You are invited\r$/m,
    /^Message-ID: <m1@relay\.example>\r$/m,
    /^Auto-Submitted: auto-generated\r$/m,
    /^Open https:\/\/relay\.example\/portal\/invitation\/token-of-ada within 72 hours\.\r$/m,
  ]) {
    assert.match(one?.data ?? "", line);
    assert.match(two?.data ?? "", line);
  }
  assert.equal(server.connections.made, 1, "the connection is used again");
});

test("HTML is an alternative to the text, with the logo attached to it and nothing to load", async (t) => {
  const { server, mailer } = await open(t);
  const logo = { type: "image/png", contents: new Uint8Array([137, 80, 78, 71]) } as const;
  await mailer.send({ ...mail("m1"), html: '<p>Hello</p><img src="cid:logo@relay" alt="Bar">', logo });
  await mailer.send({ ...mail("m2"), html: "<p>Hello</p>" });
  const [withLogo = "", without = ""] = server.mails.map(({ data }) => data);
  assert.match(withLogo, /^Content-Type: multipart\/alternative;/m);
  const order = [
    /^Content-Type: text\/plain/m,
    /^Content-Type: multipart\/related;/m,
    /^Content-Type: text\/html/m,
    /^Content-Type: image\/png/m,
  ];
  const places = order.map((part) => withLogo.search(part));
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
  assert.ok((places[0] ?? -1) > 0);
  assert.match(withLogo, /^Content-ID: <logo@relay>\r$/im);
  assert.match(withLogo, /^Content-Disposition: inline;/im);
  assert.match(withLogo, /^iVBORw==\r$/m);
  assert.match(without, /^Content-Type: multipart\/alternative;/m);
  assert.doesNotMatch(without, /image\/|multipart\/related/);
});

test("line breaks in a subject or an address make no header, and letters of other alphabets are encoded", async (t) => {
  const { server, mailer } = await open(t);
  assert.equal(
    await mailer.send(mail("m1", { subject: "Invito\r\nBcc: eve@evil.example\r\n\r\nbody", text: "Perché no\r\n.\r\nMAIL FROM:<x@x>" })),
    "sent",
  );
  const [one] = server.mails;
  const [head = "", ...body] = (one?.data ?? "").split("\r\n\r\n");
  assert.doesNotMatch(head, /^Bcc:/im);
  assert.deepEqual(one?.to, ["ada@shop.example"]);
  assert.doesNotMatch(body.join("\n"), /Perché/);
  assert.equal(server.mails.length, 1);

  // Addresses are checked before they are stored (engine/mails/mail-address.ts); one that was not is not sent to several either.
  await mailer.send(mail("m2", { to: "ada@shop.example, eve@evil.example" })).catch(() => undefined);
  await mailer.send(mail("m3", { to: "ada@shop.example\r\nRCPT TO:<eve@evil.example>" })).catch(() => undefined);
  assert.ok(server.mails.every(({ to, data }) => to.length <= 1 && !to.includes("eve@evil.example") && !/^Bcc:/im.test(data)));
});

test("over STARTTLS with a login, and over TLS from the first byte", async (t) => {
  const startTls = await open(t, { tls: TLS, startTls: true, login: LOGIN }, { host: "localhost", requireTls: true, login: LOGIN });
  assert.equal(await startTls.mailer.send(mail("m1")), "sent");
  assert.deepEqual([startTls.server.mails[0]?.overTls, startTls.server.mails[0]?.user], [true, "relay"]);
  const implicit = await open(t, { tls: TLS }, { host: "localhost", secure: true, requireTls: true });
  assert.equal(await implicit.mailer.send(mail("m1")), "sent");
  assert.equal(implicit.server.mails[0]?.overTls, true);
});

test("where TLS is required nothing is said to a server without it, and none with another certificate is trusted", async (t) => {
  const plain = await open(t, { login: LOGIN }, { requireTls: true, login: LOGIN });
  assert.match(await reasonOf(plain.mailer.send(mail("m1"))), /ETLS|STARTTLS|answered 50/);
  const unknown = await open(t, { tls: TLS, startTls: true }, { host: "localhost", requireTls: true, ca: pem("test-only-rsa-cert.pem") });
  await reasonOf(unknown.mailer.send(mail("m1")));
  assert.deepEqual([plain.server.mails, unknown.server.mails], [[], []]);
});

const REPLIES: [about: string, reply: string, outcome: "refused" | RegExp][] = [
  ["no such mailbox", "550 5.1.1 <ada@shop.example> is not here", "refused"],
  ["no such mailbox, without an enhanced code", "550 no such user ada@shop.example", "refused"],
  ["a mailbox name that is not allowed", "553 5.1.3 bad address", "refused"],
  ["a full mailbox", "452 4.2.2 full", /RCPT TO, answered 452/],
  ["greylisting", "450 4.7.1 <ada@shop.example> try again later", /RCPT TO, answered 450/],
  ["no relaying for us", "550 5.7.1 relaying denied for ada@shop.example", /RCPT TO, answered 550/],
  ["a login that is wanted", "530 5.7.0 log in first", /RCPT TO, answered 530/],
  ["a session in disorder", "503 5.5.1 bad sequence", /RCPT TO, answered 503/],
];

for (const [about, reply, outcome] of REPLIES) {
  test(`${about} is ${outcome === "refused" ? "refused for good" : "tried again"}`, async (t) => {
    const { mailer, server } = await open(t, { onRecipient: () => reply });
    if (outcome === "refused") assert.equal(await mailer.send(mail("m1")), "refused");
    else assert.match(await reasonOf(mailer.send(mail("m1"))), outcome);
    assert.equal(server.mails.length, 0);
  });
}

test("a text that is refused, a wrong login and nobody there are tried again", async (t) => {
  const spam = await open(t, { onData: () => "554 5.7.1 looks like spam to ada@shop.example" });
  assert.match(await reasonOf(spam.mailer.send(mail("m1"))), /EMESSAGE, after DATA, answered 554/);
  const wrong = await open(t, { login: LOGIN }, { login: { ...LOGIN, password: "p@ss wrong" } });
  assert.match(await reasonOf(wrong.mailer.send(mail("m1"))), /EAUTH, after AUTH PLAIN, answered 535/);
  const nobody = await open(t, {}, { port: NOBODYS_PORT });
  assert.match(await reasonOf(nobody.mailer.send(mail("m1"))), /ECONNECTION|ESOCKET/);
});

test("a server that closes after the text is not sent it again at once: whether it has it is not known", async (t) => {
  const { mailer, server } = await open(t, { onData: () => null });
  await reasonOf(mailer.send(mail("m1")));
  assert.equal(server.mails.length, 1);
});

test("a server that says nothing ends the attempt at its deadline, and leaves no connection", async (t) => {
  const { mailer, server } = await open(t, { greeting: null }, { deadlineMs: 100 });
  assert.match(await reasonOf(mailer.send(mail("m1"))), /EABORT/);
  await server.idle();
  assert.deepEqual(server.connections, { made: 1, open: 0 });
});

test("many at once share two connections", async (t) => {
  const { mailer, server } = await open(t);
  const sent = await Promise.all(Array.from({ length: 30 }, (_, index) => mailer.send(mail(`m${index}`))));
  assert.ok(sent.every((outcome) => outcome === "sent"));
  assert.equal(new Set(server.mails.map(({ data }) => /^Message-ID: (.*)\r$/m.exec(data)?.[1])).size, 30);
  assert.ok(server.connections.made <= 2);
});
