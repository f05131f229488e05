import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { Amount } from "../../../http/gateway/forms.ts";
import type { Charges } from "./charges.ts";
import type { Notifier } from "./notifier.ts";
import { type Faults, OPERATIONS } from "./options.ts";
import type { Payment, Payments } from "./payments.ts";
import { brandOf, CANCELLED, isCardNumber, masked, outcomeOfCard } from "./test-cards.ts";

/** What the control endpoints change. */
export interface Controlled {
  payments: Payments;
  charges: Charges;
  notifier: Notifier;
  faults: Faults;
  /** Added to the gateway's clock. */
  aheadMs: number;
  merchants: Map<string, string>;
}

const MERCHANTS_MAX = 10_000;

const union = <T extends string>(...words: T[]) => Type.Union(words.map((word) => Type.Literal(word)));
const Ms = Type.Integer({ minimum: 0, maximum: 86_400_000 });
const FaultsChange = Type.Partial(
  Type.Object({
    outage: union("none", "refuse", "error", "hang", "drop_answer"),
    outageOf: Type.Array(union(...OPERATIONS)),
    latencyMs: Ms,
    notifyDelayMs: Ms,
    notify: union("once", "twice", "never"),
    notifySignature: union("right", "wrong", "absent"),
  }),
  { additionalProperties: false },
);
const Advance = Type.Object({ ms: Type.Integer({ minimum: -366 * 86_400_000, maximum: 366 * 86_400_000 }) });
const Merchant = Type.Object({
  merId: Type.String({ minLength: 1, maxLength: 64 }),
  secret: Type.String({ minLength: 1, maxLength: 256 }),
});
const Act = Type.Object({
  txId: Type.String(),
  merId: Type.Optional(Type.String()),
  action: union("pay", "cancel", "notify"),
  card: Type.Optional(Type.String()),
  amount: Type.Optional(Amount),
});

export interface ControlAnswer {
  status: number;
  body: object;
}

const REFUSED: ControlAnswer = { status: 400, body: { error: "see infra/sandbox/gateway/README.md for what the control endpoints take" } };

/** `/control...`: lets tests and developers simulate faults, and pay without a browser. */
export function control(controlled: Controlled, method: string, path: string, text: string): ControlAnswer {
  let body: unknown;
  try {
    body = text === "" ? {} : JSON.parse(text);
  } catch {
    return REFUSED;
  }
  switch (`${method} ${path}`) {
    case "GET /control":
      return { status: 200, body: { faults: controlled.faults, aheadMs: controlled.aheadMs } };
    case "PATCH /control":
      if (!Value.Check(FaultsChange, body)) return REFUSED;
      controlled.faults = { ...controlled.faults, ...faultsOf(body) };
      return { status: 200, body: { faults: controlled.faults, aheadMs: controlled.aheadMs } };
    case "POST /control/advance":
      if (!Value.Check(Advance, body)) return REFUSED;
      controlled.aheadMs += body.ms;
      return { status: 200, body: { aheadMs: controlled.aheadMs } };
    case "POST /control/merchants":
      if (!Value.Check(Merchant, body) || controlled.merchants.size >= MERCHANTS_MAX) return REFUSED;
      controlled.merchants.set(body.merId, body.secret);
      return { status: 200, body: { merId: body.merId } };
    case "GET /control/payments":
      return { status: 200, body: { payments: controlled.payments.all().slice(-1_000).map(shown) } };
    case "GET /control/charges":
      return { status: 200, body: { charges: controlled.charges.all().slice(-1_000) } };
    case "POST /control/payments":
      return Value.Check(Act, body) ? act(controlled, body) : REFUSED;
    default:
      return { status: 404, body: { error: "there is nothing at this path" } };
  }
}

/** The change with the types of the faults: the compiler sees strings where the schema has a list of literals. */
function faultsOf(change: Static<typeof FaultsChange>): Partial<Faults> {
  return change;
}

function act(
  { payments, notifier }: Controlled,
  { txId, merId, action, card = "4111111111111111", amount }: Static<typeof Act>,
): ControlAnswer {
  const payment = payments.all().find(({ order }) => order.txId === txId && (merId === undefined || order.merId === merId));
  if (payment === undefined) return { status: 404, body: { error: "there is no such payment" } };
  if (action === "notify") notifier.notify(payment);
  else if (action === "pay" && !isCardNumber(card)) return REFUSED;
  else {
    const outcome = action === "cancel" ? CANCELLED : outcomeOfCard(card);
    const other = amount === undefined ? {} : { amount };
    const paid = { maskedPan: masked(card), cardBrand: brandOf(card), payerName: "Ada", payerLastName: "Lovelace", ...other };
    if (payments.end(payment, outcome, action === "cancel" ? null : paid)) notifier.notify(payment);
  }
  return { status: 200, body: shown(payment) };
}

function shown({ paymentId, order, outcome, expiresAtMs, captured, reversedValue, refundedValue }: Payment): object {
  const { merId, txId, amount } = order;
  return {
    paymentId,
    merId,
    txId,
    amount,
    outcome,
    expiresAt: new Date(expiresAtMs).toISOString(),
    captured,
    reversedValue,
    refundedValue,
  };
}
