import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { assertMatches, member } from "../../support/http/matches.ts";
import type { Relay } from "../../support/node/relay.ts";
import { test } from "../layouts.ts";

const BYTE_ORDER_MARK = "\ufeff";
const PAN = "4111111111111111";
const MASKED = "411111******1111";
const MINUTE_MS = 60_000;

interface Unread {
  about: string;
  /** Of a uuid. */
  body(uuid: string): string | Buffer;
  contentType?: string;
  status: number;
  /** What operators see. */
  raw(body: string | Buffer, uuid: string): RegExp;
}

/** Postings of an approved payment that cannot be read; each names its uuid where its text can be read. */
const UNREAD: readonly Unread[] = [
  {
    about: "JSON that breaks off",
    body: (uuid) => `{"uuid":"${uuid}","result":"OK","pan":"${PAN}","cvv":"123","auth`,
    status: 400,
    raw: (_body, uuid) => new RegExp(`"uuid":"${uuid}","result":"OK","pan":"${literal(MASKED)}","cvv":"\\*{4}","auth$`),
  },
  {
    about: "ISO-8859-1",
    body: (uuid) => Buffer.from(`{"uuid":"${uuid}","result":"OK","message":"Größe ${PAN}"}`, "latin1"),
    status: 400,
    raw: (_body, uuid) => new RegExp(`${uuid}.*"Größe ${literal(MASKED)}"`),
  },
  {
    about: "a NUL behind it",
    body: (uuid) => `{"uuid":"${uuid}","result":"OK","pan":"${PAN}"}\0`,
    status: 400,
    raw: (_body, uuid) => new RegExp(`${uuid}.*"pan":"${literal(MASKED)}"}$`),
  },
  {
    about: "UTF-16",
    body: (uuid) => Buffer.from(`${BYTE_ORDER_MARK}{"uuid":"${uuid}","result":"OK"}`, "utf16le"),
    status: 400,
    raw: (_body, uuid) => new RegExp(`^{"uuid":"${uuid}","result":"OK"}$`),
  },
  {
    about: "gzip",
    body: (uuid) => gzipSync(`{"uuid":"${uuid}","result":"OK","pan":"${PAN}"}`),
    status: 400,
    raw: (_body, uuid) => new RegExp(`${uuid}.*"pan":"${literal(MASKED)}"}$`),
  },
  {
    about: "a list",
    body: (uuid) => `[{"uuid":"${uuid}","result":"OK","pan":"${PAN}"}]`,
    status: 400,
    raw: (_body, uuid) => new RegExp(`^\\[{"uuid":"${uuid}","result":"OK","pan":"${literal(MASKED)}"}]$`),
  },
  {
    about: "a form",
    body: (uuid) => `uuid=${uuid}&result=OK&pan=4111+1111%201111%201111&cvv2=123`,
    contentType: "application/x-www-form-urlencoded",
    status: 415,
    raw: (_body, uuid) => new RegExp(`^uuid=${uuid}&result=OK&pan=411111\\*+1111&cvv2=\\*{4}$`),
  },
  {
    about: "a text's content type",
    body: (uuid) => `{"uuid":"${uuid}","result":"OK","pan":"${PAN}"}`,
    contentType: "text/plain;charset=UTF-8",
    status: 415,
    raw: (_body, uuid) => new RegExp(`${uuid}.*"pan":"${literal(MASKED)}"}$`),
  },
  {
    about: "XML",
    body: (uuid) => `<receipt><uuid>${uuid}</uuid><result>OK</result><pan>${PAN}</pan><cvv>123</cvv></receipt>`,
    contentType: "text/xml",
    status: 415,
    raw: (_body, uuid) => new RegExp(`<uuid>${uuid}</uuid>.*<pan>${literal(MASKED)}</pan><cvv>\\*{4}</cvv>`),
  },
  {
    about: "more than 64 KiB",
    body: (uuid) => `{"uuid":"${uuid}","result":"OK","pan":"${PAN}","slip":"${"x".repeat(70_000)}"}`,
    status: 413,
    raw: (_body, uuid) => new RegExp(`^{"uuid":"${uuid}","result":"OK","pan":"${literal(MASKED)}","slip":"x{8000,8190}$`),
  },
];

/** What is no text, so that the uuid cannot be told either. */
const NO_TEXTS: readonly Omit<Unread, "raw">[] = [
  { about: "bytes", body: () => Buffer.from([1, 2, 0, 3, 0xff, 4]), contentType: "application/octet-stream", status: 415 },
  { about: "gzip that unpacks to more than 64 KiB", body: (uuid) => gzipSync(`{"uuid":"${uuid}"}${" ".repeat(1_000_000)}`), status: 400 },
  { about: "gzip that is none", body: () => Buffer.from([0x1f, 0x8b, 1, 2, 3]), status: 400 },
];

function literal(text: string): string {
  return text.replaceAll("*", "\\*");
}

/** A payment that the terminal has taken. */
async function sentAt(relay: Relay, terminalId: string): Promise<string> {
  const uuid = relay.uuid();
  assert.equal((await relay.partner().pay(terminalId, { uuid })).status, 200);
  assert.equal((await relay.fleet().take(terminalId)).status, 200);
  return uuid;
}

export function unreadPostings(relay: Relay): void {
  const receipt = (terminalId: string) => `/api/v1/${terminalId}/receipt`;

  for (const { about, body, contentType = "application/json", status, raw } of UNREAD) {
    test(`${about}: is answered ${status}, and kept for operators with the uuid that it names`, async () => {
      const terminalId = relay.terminalId();
      const [uuid, other] = [await sentAt(relay, terminalId), await sentAt(relay, terminalId)];
      const posting = body(uuid);
      const answer = await relay.fleet().post(receipt(terminalId), posting, { "content-type": contentType });
      assert.equal(answer.status, status, answer.text);
      const [item, ...more] = await relay.attention(terminalId);
      assert.deepEqual(more, []);
      assertMatches(item, { kind: "unreadable", uuid, raw: raw(posting, uuid), detail: /^body: / });
      assertMatches((await relay.partner().life(uuid)).body, { data: { state: "sent", result: null, unreadableAnswerAt: /Z$/ } });
      assertMatches((await relay.partner().life(other)).body, { data: { unreadableAnswerAt: undefined } });
    });
  }

  for (const { about, body, contentType = "application/json", status } of NO_TEXTS) {
    test(`${about}: is answered ${status}, and told of by size, type and hash`, async () => {
      const terminalId = relay.terminalId();
      const [first, second] = [await sentAt(relay, terminalId), await sentAt(relay, terminalId)];
      const posting = body(first);
      const answer = await relay.fleet().post(receipt(terminalId), posting, { "content-type": contentType });
      assert.equal(answer.status, status, answer.text);
      const [item] = await relay.attention(terminalId);
      const sha256 = createHash("sha256").update(posting).digest("hex");
      assert.deepEqual(JSON.parse(String(member(item, "raw"))), { bytes: posting.length, contentType, sha256 });
      for (const uuid of [first, second])
        assertMatches((await relay.partner().life(uuid)).body, { data: { state: "sent", unreadableAnswerAt: /Z$/ } });
    });
  }

  test("a byte order mark before JSON is no part of it: results, payments and a terminal's own settings", async () => {
    const [terminalId, uuid] = [relay.terminalId(), relay.uuid()];
    const paid = await relay
      .partner()
      .post(`/api/v1/${terminalId}/pay`, `${BYTE_ORDER_MARK}{"uuid":"${uuid}","amount":1050,"service":"PAYCC"}`);
    assert.equal(paid.status, 200, paid.text);
    assertMatches((await relay.fleet().take(terminalId)).body, { uuid, amount: 1_050 });
    const posted = await relay.fleet().post(receipt(terminalId), `${BYTE_ORDER_MARK}{"uuid":"${uuid}","result":"OK"}`);
    assertMatches(posted, { status: 200, body: { data: "Result recorded" } });
    assertMatches((await relay.partner().uuid(uuid)).body, { data: { uuid, status: "OK" } });
    assert.deepEqual(await relay.attention(terminalId), []);
  });

  test("the same posting is kept once, and tells of each command that it may have answered", async () => {
    const terminalId = relay.terminalId();
    const first = await sentAt(relay, terminalId);
    await relay.fleet().post(receipt(terminalId), "ERROR 7");
    await relay.fleet().post(receipt(terminalId), `{"uuid":"${first}","result":"OK"}`);
    const second = await sentAt(relay, terminalId);
    await relay.fleet().post(receipt(terminalId), "ERROR 7");
    assert.equal((await relay.attention(terminalId)).length, 1);
    assertMatches((await relay.partner().life(second)).body, { data: { unreadableAnswerAt: /Z$/ } });
    // It has its result: there is nothing more to be told.
    assertMatches((await relay.partner().life(first)).body, { data: { result: "OK", unreadableAnswerAt: undefined } });
  });

  test("a payment that ends as unknown says that an answer came", async () => {
    const terminalId = relay.terminalId();
    const uuid = await sentAt(relay, terminalId);
    await relay.fleet().post(receipt(terminalId), `{"uuid":"${uuid}","result":`);
    relay.advance(5 * MINUTE_MS);
    await relay.lifeBecomes(uuid, { state: "unknown", unreadableAnswerAt: /Z$/ });
    const items = await relay.attention(terminalId);
    assertMatches(
      items.find((item) => member(item, "kind") === "unknown"),
      { uuid, detail: /answer came that could not be read/ },
    );
  });

  test("strangers, and terminals that may not act for this one, leave nothing", async () => {
    const terminalId = relay.terminalId();
    const uuid = await sentAt(relay, terminalId);
    const stranger = await relay.terminal(relay.terminalId());
    for (const body of ["no JSON", `{"uuid":"${uuid}"`, "x".repeat(70_000)]) {
      assert.ok((await relay.nobody().post(receipt(terminalId), body)).status >= 400);
      assert.ok((await stranger.post(receipt(terminalId), body)).status >= 400);
    }
    assert.deepEqual(await relay.attention(terminalId), []);
    assertMatches((await relay.partner().life(uuid)).body, { data: { unreadableAnswerAt: undefined } });
  });

  test("over STOMP: a byte order mark is no part of a result; what cannot be read ends the session and is kept", async () => {
    const terminalId = relay.terminalId();
    const destination = `/app/terminal/${terminalId}/receipt`;
    for (const posting of [`{"uuid":"UUID","result":"OK","pan":"${PAN}"`, Buffer.from([1, 0xff, 2]), `{"slip":"${"x".repeat(70_000)}"}`]) {
      const terminal = await relay.online(terminalId);
      const uuid = relay.uuid();
      await relay.partner().pay(terminalId, { uuid });
      await terminal.commands.next();
      const body = typeof posting === "string" ? { body: posting.replace("UUID", uuid) } : { binaryBody: posting };
      terminal.client.publish({ destination, ...body });
      await terminal.errors.next();
      await terminal.closes.next();
      await relay.connectionBecomes(terminalId, { sessions: 0 });
      await relay.lifeBecomes(uuid, { unreadableAnswerAt: /Z$/ });
      const again = await relay.online(terminalId);
      await again.client.publish({ destination, body: `${BYTE_ORDER_MARK}{"uuid":"${uuid}","result":"OK"}` });
      await relay.lifeBecomes(uuid, { state: "done", result: "OK" });
      await again.client.deactivate();
      await relay.connectionBecomes(terminalId, { sessions: 0 });
    }
    const raws = (await relay.attention(terminalId)).map((item) => String(member(item, "raw")));
    assert.equal(raws.length, 3);
    assert.ok(raws.some((raw) => raw.includes(MASKED)) && !raws.some((raw) => raw.includes(PAN)));
  });
}
