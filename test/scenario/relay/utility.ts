import assert from "node:assert/strict";
import { assertMatches, textMember } from "../../support/http/matches.ts";
import type { Relay } from "../../support/node/relay.ts";
import { test } from "../layouts.ts";

/** ASCII of "link-7", "contract", "imei" as hex; tagDF8109 is hex already. */
const TAGS = { tagDF8105: "6C696E6B2D37", tagDF8102: "636f6e7472616374", tagDF8103: "696d6569", tagDF8109: "32" };
const PRIVATIVE_TAGS = "DF8102=636f6e7472616374##DF8103=696d6569##DF8105=6C696E6B2D37##DF8109=32";
const FIELD_47 = "DF810208636F6E7472616374DF810304696D6569DF8105066C696E6B2D37DF81090132";

export function utilityCommands(relay: Relay): void {
  test("a scan is pushed and its value comes back", async () => {
    const [terminalId, uuid, partner] = [relay.terminalId(), relay.uuid(), relay.partner()];
    const terminal = await relay.online(terminalId);
    const sent = await partner.post(`/api/v1/${terminalId}/scan`, { uuid });
    assert.deepEqual(sent.body, {
      status: "ok",
      data: { terminalID: terminalId, uuid, service: "SCAN", message: "SCAN command sent to the terminal" },
    });
    assertMatches((await terminal.commands.next()).command, { uuid, service: "SCAN", amount: 0, terminalId });
    await terminal.result(terminalId, {
      uuid,
      service: "SCAN",
      result: "OK",
      scannedValue: "8001234567890",
      barcodeFormat: "EAN_13",
      timestamp: "2026-11-21T10:00:00+01:00",
      terminalId,
      deviceModel: "A920",
    });
    assertMatches((await partner.uuid(uuid)).body, {
      status: "ok",
      data: {
        uuid,
        method: "SCAN",
        status: "OK",
        amountCents: 0,
        scan: { scannedValue: "8001234567890", barcodeFormat: "EAN_13", scanResult: "OK" },
        provider: { model: "A920" },
      },
    });
    assertMatches((await partner.status(terminalId)).body, { data: { uuid, method: "SCAN" } });
  });

  test("a scan without a body gets a uuid; a cancelled one and a camera's error are KO", async () => {
    const [terminalId, partner, fleet] = [relay.terminalId(), relay.partner(), relay.fleet()];
    for (const scanResult of ["CANCELLED", "ERROR"]) {
      const sent = await partner.post(`/api/v1/${terminalId}/scan`);
      const uuid = textMember(sent.body, "data", "uuid");
      assertMatches((await fleet.take(terminalId)).body, { uuid, service: "SCAN" });
      await fleet.receipt(terminalId, { uuid, service: "SCAN", result: scanResult, scannedValue: null, barcodeFormat: null });
      const scan = { scannedValue: null, barcodeFormat: null, scanResult };
      assertMatches((await partner.uuid(uuid)).body, { data: { method: "SCAN", status: "KO", amountCents: 0, scan } });
    }
  });

  test("text and QR codes are printed, and a printer's failure is KO with its reason", async () => {
    const [terminalId, partner, fleet] = [relay.terminalId(), relay.partner(), relay.fleet()];
    const text = await partner.post(`/api/v1/${terminalId}/print`, { text: "Grazie €" });
    assertMatches(text.body, { status: "ok", data: { terminalID: terminalId, service: "PRINT" } });
    const uuid = relay.uuid();
    await partner.post(`/api/v1/${terminalId}/print`, { uuid, type: "qr", text: "https://example.org", label: "Pay" });
    assertMatches((await fleet.take(terminalId)).body, { service: "PRINT", amount: 0, text: "Grazie €", terminalId });
    const qr = { uuid, service: "PRINT", amount: 0, type: "qr", text: "https://example.org", label: "Pay", terminalId };
    assertMatches((await fleet.take(terminalId)).body, qr);
    await fleet.receipt(terminalId, {
      uuid: textMember(text.body, "data", "uuid"),
      service: "PRINT",
      result: "OK",
      errorDescription: null,
    });
    await fleet.receipt(terminalId, { uuid, service: "PRINT", result: "KO", errorDescription: "paper out" });
    const print = { printResult: "KO", errorDescription: "paper out" };
    assertMatches((await partner.uuid(uuid)).body, { data: { method: "PRINT", status: "KO", amountCents: 0, print } });
    assertMatches((await partner.status(terminalId)).body, { data: { uuid } });
  });

  test("an administrator's command is queued for the next poll, and is nobody's transaction", async () => {
    const [terminalId, administrator, fleet] = [relay.terminalId(), relay.administrator(), relay.fleet()];
    const sent = await administrator.post(`/admin/terminal/${terminalId}/command`, { service: "LOGCAT", amount: 0, lines: 200 });
    assertMatches(sent, { status: 200, body: { status: "ok", data: { terminalID: terminalId, service: "LOGCAT" } } });
    const uuid = textMember(sent.body, "data", "uuid");
    assertMatches((await fleet.take(terminalId)).body, { uuid, service: "LOGCAT", amount: 0, lines: 200, terminalId });
    assertMatches((await fleet.status(terminalId)).body, { data: null });
    assertMatches((await fleet.receipt(terminalId, { uuid, result: "OK" })).body, { data: "Result recorded" });
    for (const service of ["PAYCC", "CANCEL", "logcat", ""]) {
      const refused = await administrator.post(`/admin/terminal/${terminalId}/command`, { service });
      assertMatches(refused, { status: 400, body: { status: "error", error: /service/ } });
    }
    for (const caller of [relay.partner(), fleet, relay.nobody()]) {
      assert.equal((await caller.post(`/admin/terminal/${terminalId}/command`, { service: "LOGCAT" })).status, 401);
    }
  });

  test("tags reach a terminal the way of its family, and both ways while the family is not known", async () => {
    const families = [
      { family: null, privativeTags: PRIVATIVE_TAGS, additionalField47data: FIELD_47 },
      { family: "privative-tags", privativeTags: PRIVATIVE_TAGS, additionalField47data: undefined },
      { family: "field-47", privativeTags: undefined, additionalField47data: FIELD_47 },
    ];
    for (const { family, ...expected } of families) {
      for (const transport of ["poll", "websocket"]) {
        const [terminalId, uuid, fleet] = [relay.terminalId(), relay.uuid(), relay.fleet()];
        const connectHeaders: { [name: string]: string } = family === null ? {} : { "terminal-family": family };
        const session = transport === "websocket" ? await relay.online(terminalId, {}, { connectHeaders }) : null;
        if (session === null) await fleet.poll(terminalId, family === null ? {} : { "x-terminal-family": family });
        await relay.connectionBecomes(terminalId, { connectionStatus: "ONLINE" });
        const paid = await relay.partner().pay(terminalId, { uuid, service: "PAYTAG", ...TAGS });
        assertMatches(paid, { status: 200, body: { data: { received: TAGS } } });
        const command = session === null ? (await fleet.take(terminalId)).body : (await session.commands.next()).command;
        assertMatches(command, { uuid, service: "PAYTAG", ...TAGS, ...expected }, `${family} by ${transport}`);
      }
    }
  });

  test("a family without the tag services refuses VERIFYTAG and takes PAYTAG", async () => {
    const [terminalId, uuid, fleet] = [relay.terminalId(), relay.uuid(), relay.fleet()];
    await fleet.poll(terminalId, { "x-terminal-family": "no-tags" });
    await relay.connectionBecomes(terminalId, { connectionStatus: "ONLINE" });
    const refused = await relay.partner().pay(terminalId, { uuid, service: "VERIFYTAG" });
    assertMatches(refused, { status: 400, body: { status: "error", error: /VERIFYTAG/ } });
    assert.equal((await relay.partner().pay(terminalId, { uuid, service: "PAYTAG" })).status, 200);
    assertMatches((await fleet.take(terminalId)).body, { uuid, service: "PAYTAG" });
  });

  test("VERIFYTAG charges nothing, whatever its amount", async () => {
    const [terminalId, uuid, fleet] = [relay.terminalId(), relay.uuid(), relay.fleet()];
    assert.equal((await relay.partner().pay(terminalId, { uuid, service: "VERIFYTAG", amount: "ignored" })).status, 200);
    assertMatches((await fleet.take(terminalId)).body, { uuid, service: "VERIFYTAG", amount: 0 });
  });

  test("a null tag is an absent one", async () => {
    const [terminalId, uuid, fleet] = [relay.terminalId(), relay.uuid(), relay.fleet()];
    await relay.partner().pay(terminalId, { uuid, service: "PAYTAG", tagDF8105: null, tagDF8109: "30" });
    assertMatches((await fleet.take(terminalId)).body, { uuid, privativeTags: "DF8109=30", additionalField47data: "DF81090130" });
  });

  test("a terminal's own members of the relay's names are never taken from the partner", async () => {
    const [terminalId, uuid, fleet] = [relay.terminalId(), relay.uuid(), relay.fleet()];
    await relay.partner().pay(terminalId, { uuid, redelivered: true, attempt: 9, cancels: "other" });
    assertMatches((await fleet.take(terminalId)).body, { uuid, redelivered: undefined, attempt: undefined, cancels: undefined });
    // What would change when it is paid, and by which contract, is not dropped without a word.
    for (const [name, value] of Object.entries({ expiresAt: "2099-01-01T00:00:00Z", privativeTags: "X", additionalField47data: "X" })) {
      const refused = await relay.partner().pay(terminalId, { uuid: relay.uuid(), [name]: value });
      assertMatches(refused, { status: 400, body: { status: "error", error: `${name} is set by the relay; leave it out` } });
    }
  });
}
