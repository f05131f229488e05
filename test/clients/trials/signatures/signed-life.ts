import assert from "node:assert/strict";
import { SANDBOX_ADAPTER_LOGIN } from "../../../../infra/node/process/sandbox-partner.ts";
import { assertMatches, textMember } from "../../../support/http/matches.ts";
import { TestGateway } from "../../../support/node/gateway.ts";
import { Relay } from "../../../support/node/relay.ts";
import { shared } from "../shared.ts";
import { SIGNER_ALGORITHMS, type SignedAnswer, type SignedCall, type Signer, type SignerAlgorithm } from "./signed-request.ts";

/** Signatures cover it, as those for an upstream gateway do. */
const CONTEXT_PATH = "/CG_SERVICES";
const OF_GET = ["(request-target)", "host", "date", "x-signature-salt"];
const OF_POST = [...OF_GET, "digest"];
const FORGED = "a secret that the partner does not have";

const world = shared(async () => {
  const gateway = await TestGateway.start();
  const relay = new Relay({
    shards: 1,
    environment: { RELAY_GATEWAY_URL: gateway.url, RELAY_ADAPTER_CONTEXT_PATH: CONTEXT_PATH },
  });
  await relay.start();
  return {
    base: relay.node.url + CONTEXT_PATH,
    uuid: () => relay.uuid(),
    stop: async () => {
      await relay.stop();
      await gateway.stop();
    },
  };
});

/** What the signature covers where the library is not told what to sign: all three agree with the draft. */
const BY_DEFAULT = ["date"];
const without = (names: readonly string[], left: readonly string[]) => names.filter((name) => !left.includes(name));

/**
 * With each algorithm: creates a payment (POST with a digest) and reads it (GET); then what must be refused: another secret, a body that was changed on its way,
 * and signatures that leave something out, as those do that the library makes by default. `written` is the algorithm as the library writes it into the header.
 */
export async function signedLife(signer: Signer, written: (algorithm: SignerAlgorithm) => string): Promise<void> {
  const { base, uuid } = await world();
  const { merchantId: keyId, secret } = SANDBOX_ADAPTER_LOGIN;

  for (const algorithm of SIGNER_ALGORITHMS) {
    const order = () =>
      JSON.stringify({
        txHead: { merId: keyId, txId: uuid() },
        txReq: { txOp: "SALE", amount: { value: 1230, currency: "EUR" }, description: "Order 7" },
        poiInfo: { pitype: "CC" },
      });
    function post(changes: Partial<SignedCall> = {}): Promise<SignedAnswer> {
      const body = order();
      const url = `${base}/pgw/payment/init`;
      return signer({ method: "POST", url, body, sentBody: body, salt: uuid(), keyId, secret, algorithm, headers: OF_POST, ...changes });
    }
    const get = (query: string, changes: Partial<SignedCall> = {}) =>
      post({ method: "GET", url: `${base}/pgw/payment/verify?${query}`, body: "", sentBody: "", headers: OF_GET, ...changes });

    const created = await post();
    assert.equal(created.status, 200, created.text);
    assert.ok(created.authorization.includes(`algorithm="${written(algorithm)}"`), created.authorization);
    const payment: unknown = JSON.parse(created.text);
    assertMatches(payment, { txHead: { merId: keyId, resultCode: "GW_000" } });

    const query = `merId=${keyId}&paymentId=${textMember(payment, "paymentId")}`;
    const read = await get(query);
    assert.equal(read.status, 200, read.text);
    assertMatches(JSON.parse(read.text), { txHead: { merId: keyId, resultCode: "GW_20001" }, result: "PENDING" });

    const refusals: [SignedAnswer, string][] = [
      [await post({ secret: FORGED }), "does not match the request"],
      [await get(query, { secret: FORGED }), "does not match the request"],
      [await post({ sentBody: order() }), "has a Digest that is not the body's"],
      [await post({ headers: without(OF_POST, ["digest"]) }), "does not sign digest"],
      [await post({ headers: without(OF_POST, ["(request-target)"]) }), "does not sign (request-target)"],
      [await post({ headers: [] }), `does not sign ${without(OF_POST, BY_DEFAULT).join(", ")}`],
      [await get(query, { headers: [] }), `does not sign ${without(OF_GET, BY_DEFAULT).join(", ")}`],
    ];
    for (const [answer, reason] of refusals) {
      assert.equal(answer.status, 401, answer.text);
      assertMatches(JSON.parse(answer.text), { txHead: { resultCode: "GW_30401", errDescription: `The signature ${reason}.` } });
    }
  }
}
