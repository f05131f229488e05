import assert from "node:assert/strict";
import { SANDBOX_MERCHANT } from "../../../infra/node/boot/sandbox-names.ts";
import type { Answer, HttpClient } from "../../support/http/http-client.ts";
import { assertMatches, member, textMember } from "../../support/http/matches.ts";
import type { TestGateway } from "../../support/node/gateway.ts";
import type { Relay } from "../../support/node/relay.ts";
import { formOf, MULTIPART } from "../../support/people/package-upload.ts";
import { eventually } from "../../support/within.ts";

export const BASE = "/api/merchant";
export const DAY_MS = 86_400_000;

/** A merchant's program and administrators, at a relay whose gateway belongs to the test. */
export class DisputeWorld {
  readonly relay: Relay;
  readonly gateway: TestGateway;
  shop: HttpClient;

  constructor(relay: Relay, gateway: TestGateway) {
    this.relay = relay;
    this.gateway = gateway;
    this.shop = this.#program();
  }

  /**
   * Uses a separate address, because a fast machine would exceed fifty requests to the portal's
   * interface in a second.
   */
  another(): void {
    this.shop = this.#program();
  }

  #program(): HttpClient {
    return this.relay.client({ authorization: `Bearer ${SANDBOX_MERCHANT.keys.secret}` });
  }

  async unlimited(): Promise<void> {
    const limits = { method: "PATCH", body: { compatRequestsPerMinute: 10_000 } } as const;
    const raised = await this.relay.administrator().send(`/admin/api/merchants/${SANDBOX_MERCHANT.merchantId}`, limits);
    assert.equal(raised.status, 200, raised.text);
  }

  /** Creates a paid payment by a portal link, and returns its uuid. */
  async paid(amountMinor = 1_050): Promise<string> {
    const made = await this.shop.post(`${BASE}/payment-links`, { amountMinor, description: "Dinner on Thursday" });
    assert.equal(made.status, 201, made.text);
    const id = textMember(made.body, "data", "id");
    const page = new URL(textMember(made.body, "data", "url")).pathname;
    assert.equal((await this.relay.nobody().post(`${page}/pay`)).status, 303);
    await this.gateway.act(`${id}.1`, "pay");
    await eventually(async () =>
      assert.match((await this.relay.nobody().get(`${page}/return`, { "accept-language": "en" })).text, /<h1>Paid<\/h1>/),
    );
    return `${id}.1`;
  }

  caseOf(members: object = {}): object {
    return {
      ...{ merchantId: SANDBOX_MERCHANT.merchantId, network: "VISA", networkCaseId: this.relay.uuid(), stage: "CHARGEBACK" },
      ...{ amountMinor: 1_050, currency: "EUR", reasonCode: "13.1", category: "NOT_RECEIVED", respondBy: this.inDays(14) },
      ...members,
    };
  }

  inDays(days: number): string {
    return new Date(this.relay.nowMs() + days * DAY_MS).toISOString();
  }

  /** Enters a dispute, and returns its id. */
  async disputed(members: object = {}): Promise<string> {
    const fed = await this.relay.administrator().post("/admin/disputes", this.caseOf(members));
    assert.equal(fed.status, 201, fed.text);
    return textMember(fed.body, "data", "id");
  }

  /** Enters a message of the network about a dispute. */
  async said(id: string, what: "evidence-requested" | "refused" | "verdict", body?: object): Promise<Answer> {
    return this.relay.administrator().post(`/admin/disputes/${id}/${what}`, body);
  }

  noticeOf(members: object = {}): object {
    return {
      ...{ merchantId: SANDBOX_MERCHANT.merchantId, source: "ETHOCA", networkRef: this.relay.uuid(), category: "FRAUD" },
      ...{ amountMinor: 1_050, currency: "EUR" },
      ...members,
    };
  }

  /** Enters an alert, and returns its id. */
  async alerted(members: object = {}): Promise<string> {
    const fed = await this.relay.administrator().post("/admin/alerts", this.noticeOf(members));
    assert.equal(fed.status, 201, fed.text);
    return textMember(fed.body, "data", "id");
  }

  async dispute(id: string): Promise<unknown> {
    const shown = await this.shop.get(`${BASE}/disputes/${id}`);
    assert.equal(shown.status, 200, shown.text);
    return member(shown.body, "data");
  }

  async disputeBecomes(id: string, expected: object): Promise<void> {
    await eventually(async () => {
      this.another();
      assertMatches(await this.dispute(id), expected);
    });
  }

  async alert(id: string): Promise<unknown> {
    const shown = await this.shop.get(`${BASE}/alerts/${id}`);
    assert.equal(shown.status, 200, shown.text);
    return member(shown.body, "data");
  }

  async alertBecomes(id: string, expected: object): Promise<void> {
    await eventually(async () => {
      this.another();
      assertMatches(await this.alert(id), expected);
    });
  }

  upload(id: string, fileName: string, content: Buffer, { category = "DELIVERY", by = this.shop } = {}): Promise<Answer> {
    const form = formOf([{ name: "file", fileName, content }]);
    return by.post(`${BASE}/disputes/${id}/evidence?category=${category}`, form, { "content-type": MULTIPART });
  }

  respond(id: string, body: object, key: string | null = null): Promise<Answer> {
    return this.shop.post(`${BASE}/disputes/${id}/respond`, body, key === null ? {} : { "idempotency-key": key });
  }

  refund(uuid: string, key: string | null = null): Promise<Answer> {
    return this.shop.post(`${BASE}/transactions/${uuid}/refund`, {}, key === null ? {} : { "idempotency-key": key });
  }
}

export function assertRefused(answer: Answer, code: string, status = 409): void {
  assertMatches({ status: answer.status, body: answer.body }, { status, body: { status: "error", code, error: /./ } });
}

/** Returns a PDF of this length, valid by its content. */
export function pdf(bytes: number): Buffer {
  const contents = Buffer.alloc(bytes, "x");
  contents.write("%PDF-1.7\n");
  return contents;
}
