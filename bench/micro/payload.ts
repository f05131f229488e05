import type { Bench } from "tinybench";
import { withDelivery } from "../../engine/payments/command.ts";
import { buildPayment, readPaymentRequest } from "../../engine/payments/payment-request.ts";

const AT_MS = 1_800_000_000_000;

/** From the parsed body to what the terminal gets. */
export function addPayload(bench: Bench): void {
  const body = {
    uuid: "7d9f0a52-6c2e-4a83-9f5d-2c1d0d1b8f11",
    amount: 1050,
    service: "PAYCC",
    type: "CARD",
    cardType: 0,
    description: "Order 004711, table 12",
  };
  const acceptance = { sender: "partner:1", acceptedAtMs: AT_MS, request: "0c5b3f0e-3d0f-4d5c-9d0e-7f2a1c9b8e55" };
  bench.add("payload: check and build", () => {
    buildPayment(readPaymentRequest(body, "T1"), null, acceptance);
  });
  const { payload } = buildPayment(readPaymentRequest(body, "T1"), null, acceptance);
  bench.add("payload: text of a delivery", () => {
    withDelivery(payload, { expiresAtMs: AT_MS + 60_000, serverTimeMs: AT_MS, attempt: 1 });
  });
}
