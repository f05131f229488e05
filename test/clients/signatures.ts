import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { WIRE_NAMES } from "../../http/compat/wire-names.ts";
import { textMember } from "../support/http/matches.ts";
import { payOnHostedPage } from "./support/hosted-page.ts";
import { type LifeKeys, type Program, runVerify } from "./support/program.ts";
import type { Delivery, WebhookReceiver } from "./support/webhook-receiver.ts";

/** The pauses between attempts (with what they may be spread by), so that the sixth is the last. */
const PAUSES_MS = [5_000, 25_000, 125_000, 625_000, 3_125_000].map((ms) => Math.round(ms * 1.1) + 1_000);
/** The first, and those that come later after the event than any library tolerates. */
const LOOKED_AT = [1, 5, 6];
/** Every library's tolerance. */
const TOLERANCE_SECONDS = 300;

const ROUNDS_MAX = 4;
const ROUND_MS = 4_000;

export interface SignatureWorld {
  readonly baseUrl: string;
  readonly keys: LifeKeys;
  readonly receiver: WebhookReceiver;
  readonly programs: readonly Program[];
  advance(ms: number): Promise<void>;
}

/**
 * Lets a shop refuse an event six times, and has every library look at the first, the fifth and the sixth attempt, with its own tolerance at the time of the
 * attempt: all of them accept it then, and none of them six minutes later.
 */
export async function signaturesOfAttempts({ baseUrl, keys, receiver, programs, advance }: SignatureWorld): Promise<void> {
  const name = "signatures";
  const post = async (path: string, form: { [name: string]: string }): Promise<unknown> => {
    const headers = { authorization: `Bearer ${keys.secretKey}` };
    const answer = await fetch(`${baseUrl}/v1/${path}`, { method: "POST", headers, body: new URLSearchParams(form) });
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    return JSON.parse(text);
  };
  receiver.answerWith(name, 500);
  const type = "payment_intent.succeeded";
  // The version train of the libraries for Go and Java, which look at it.
  const api_version = "2026-03-25.dahlia";
  const endpoint = await post("webhook_endpoints", { url: receiver.urlOf(name), "enabled_events[0]": type, api_version });
  const secret = textMember(endpoint, "secret");
  const intent = textMember(await post("payment_intents", { amount: "1250", currency: "eur" }), "id");
  const confirmed = await post(`payment_intents/${intent}/confirm`, { return_url: receiver.returnUrl });
  await payOnHostedPage(textMember(confirmed, "next_action", "redirect_to_url", "url"), "4242424242424242", receiver.returnUrl);

  const folder = await mkdtemp(join(tmpdir(), "relay-signatures-"));
  let aheadMs = 0;
  /** An attempt is noted after its answer, and the pause counts from then: where time was moved before that, it is moved again. */
  async function arrivalOf(attempt: number): Promise<Delivery> {
    const pauseMs = PAUSES_MS[attempt - 2];
    if (pauseMs === undefined) return receiver.find(name, type, intent, attempt);
    for (let round = 1; round < ROUNDS_MAX; round += 1) {
      await advance(pauseMs);
      aheadMs += pauseMs;
      const delivery = await receiver.find(name, type, intent, attempt, ROUND_MS).catch(() => null);
      if (delivery !== null) return delivery;
    }
    return receiver.find(name, type, intent, attempt);
  }

  try {
    for (let attempt = 1; attempt <= PAUSES_MS.length + 1; attempt += 1) {
      const delivery = await arrivalOf(attempt);
      if (!LOOKED_AT.includes(attempt)) continue;
      const nowSeconds = Math.floor((Date.now() + aheadMs) / 1000);
      const file = join(folder, `attempt-${attempt}.json`);
      await writeFile(file, delivery.payload);
      const header = headerOf(delivery, WIRE_NAMES.signature);
      assert.match(header, /^t=\d+(?:,v1=[0-9a-f]{64})+$/);
      for (const program of programs) {
        const said = await runVerify(program, { file, header, secret, nowSeconds });
        assert.deepEqual({ attempt, program: program.name, ...said }, { attempt, program: program.name, ...expectedOf(delivery) });
        const late = await runVerify(program, { file, header, secret, nowSeconds: nowSeconds + TOLERANCE_SECONDS + 60 });
        assert.ok("refused" in late, `${program.name} accepts attempt ${attempt} when it is old`);
      }
      verifyAsStandard(delivery, secret, nowSeconds);
      assert.equal(headerOf(delivery, "X-Gateway-Signature"), createHmac("sha256", secret).update(delivery.payload).digest("hex"));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function expectedOf({ payload }: Delivery): { verified: string; object: boolean } {
  return { verified: textMember(JSON.parse(payload), "id"), object: true };
}

/** The library of the Standard Webhooks, which knows the machine's clock only. */
function verifyAsStandard(delivery: Delivery, secret: string, nowSeconds: number): void {
  const headers = Object.fromEntries(
    ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => [name, headerOf(delivery, name)]),
  );
  const { now } = Date;
  Date.now = () => nowSeconds * 1000;
  try {
    new Webhook(secret).verify(delivery.payload, headers);
    assert.throws(() => new Webhook(secret).verify(`${delivery.payload} `, headers));
  } finally {
    Date.now = now;
  }
}

function headerOf({ headers }: Delivery, name: string): string {
  const value = headers[name.toLowerCase()];
  assert.equal(typeof value, "string", `a webhook has one ${name}`);
  return String(value);
}
