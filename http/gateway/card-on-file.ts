import { type Static, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { RecurringChargeAnswer, RecurringChargeOrder, RecurringCharges } from "../../engine/subscriptions/recurring-charges.ts";
import { isLoopbackHost } from "../auth/loopback-host.ts";

/**
 * Charges of cards on file at the sandbox's gateway (infra/sandbox/gateway/README.md). The card gateway's own protocol has none, so this is the sandbox's alone.
 */
export const CHARGE_PATH = "/sandbox/charges";
export const CHARGE_VERIFICATION_PATH = "/sandbox/charges/verification";

/** The same for both paths. */
export const ChargeRequest = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 100 }),
  merchantId: Type.String({ minLength: 1, maxLength: 64 }),
  methodId: Type.String({ minLength: 1, maxLength: 100 }),
  amountMinor: Type.Integer({ minimum: 1 }),
  currency: Type.String({ pattern: "^[A-Z]{3}$" }),
});
export type ChargeRequest = Static<typeof ChargeRequest>;

const WORDS = { code: Type.String({ maxLength: 100 }), description: Type.Union([Type.String({ maxLength: 255 }), Type.Null()]) };
export const ChargeAnswer = Type.Union([
  Type.Object({ type: Type.Literal("done"), atMs: Type.Integer() }),
  Type.Object({ type: Type.Literal("failed"), hard: Type.Boolean(), ...WORDS }),
  Type.Object({ type: Type.Literal("absent") }),
]);
export type ChargeAnswer = Static<typeof ChargeAnswer>;

const answers = TypeCompiler.Compile(ChargeAnswer);

/** The port's calls end within a minute. */
const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 16_384;

/** Whether a gateway may be the sandbox's: it listens on this machine only. */
export function mayChargeCards(gatewayUrl: string): boolean {
  return isLoopbackHost(new URL(gatewayUrl).host);
}

/** The sandbox's cards on file. `isOffered` for every merchant. */
export function createSandboxCharges(gatewayUrl: string): RecurringCharges {
  async function ask(path: string, { id, merchantId, methodId, amountMinor, currency }: RecurringChargeOrder): Promise<ChargeAnswer> {
    const request: ChargeRequest = { id, merchantId, methodId, amountMinor, currency };
    let text: string;
    try {
      const response = await fetch(new URL(path, gatewayUrl), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(request),
        redirect: "error",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      text = await response.text();
      if (response.status !== 200 || text.length > ANSWER_BYTES_MAX) throw new Error(`the gateway answered ${response.status}`);
    } catch (cause) {
      throw new RelayError("unavailable", "The sandbox's gateway does not answer; check that it is running", { cause });
    }
    const answer: unknown = JSON.parse(text);
    if (!answers.Check(answer)) throw new Error("the answer of the sandbox's gateway has an unexpected form");
    return answer;
  }

  return {
    isOffered: () => true,
    charge: async (order): Promise<RecurringChargeAnswer> => {
      const answer = await ask(CHARGE_PATH, order);
      return answer.type === "absent" ? { type: "unknown" } : answer;
    },
    verify: (order) => ask(CHARGE_VERIFICATION_PATH, order),
  };
}
