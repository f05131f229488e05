import { type Static, Type } from "@sinclair/typebox";
import { GATEWAY_RESULT, GATEWAY_UNREAD } from "../../engine/gateway/gateway.ts";
import { AMOUNT_MINOR_MAX } from "../../engine/kernel/limits.ts";

/**
 * The JSON forms of the gateway protocol (PROTOCOL.md). Lengths bound what a peer may make us keep. Members that are not known are let through:
 * a peer may have more to say than we read.
 */

/** Result codes beside those of the gateway; they are the relay's own (PROTOCOL.md). */
export const PROTOCOL_RESULT = {
  ...GATEWAY_RESULT,
  ...GATEWAY_UNREAD,
  pending: "GW_20001",
  invalidRequest: "GW_30001",
  paymentUnknown: "GW_30002",
  txIdReused: "GW_30003",
  notPossible: "GW_30004",
  partialRefund: "GW_30005",
  tooMany: "GW_30429",
  internal: "GW_30500",
  unavailable: "GW_30503",
} as const;

/** A client's own transaction id. */
export const TX_ID_LENGTH_MAX = 64;
/** Part of the protocol: length of the adapter's merchant id. */
export const MER_ID_LENGTH_MAX = 16;
/** Part of the protocol: length of the paymentId that the adapter answers with. */
export const PAYMENT_ID_LENGTH = 36;

/** What a hosted payment page can take. */
export const INSTRUMENTS = { CC: "card", BPE: "bancomat_pay" } as const;

const text = (maxLength: number) => Type.Optional(Type.Union([Type.String({ maxLength }), Type.Null()]));

/** Amounts on the wire: an integer of minor units with its currency. */
export const Amount = Type.Object({
  value: Type.Integer({ minimum: 1, maximum: AMOUNT_MINOR_MAX }),
  currency: Type.String({ pattern: "^[A-Z]{3}$" }),
});

/**
 * A member that decides nothing: read where it can be, whatever a gateway makes of it (`readText`). A brand of 33 characters must not keep a
 * paid payment from being known as paid.
 */
const anything = Type.Optional(Type.Unknown());

export const AnswerHead = Type.Object({
  merId: anything,
  txId: text(TX_ID_LENGTH_MAX),
  resultCode: Type.String({ minLength: 1, maxLength: 32 }),
  errDescription: anything,
});

/** Every answer, also that of a failure. */
export const AnyAnswer = Type.Object({ txHead: AnswerHead });
export type AnyAnswer = Static<typeof AnyAnswer>;

export const InitAnswer = Type.Object({
  txHead: AnswerHead,
  resultCode: Type.String(),
  paymentId: Type.String({ minLength: 1, maxLength: 64 }),
  redirectURL: Type.String({ minLength: 1, maxLength: 2_048 }),
});

/** Some gateways count their movements. Beyond safe integers a number was rounded when it was read, and names another movement. */
const TranId = Type.Union([Type.String({ minLength: 1, maxLength: 64 }), Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })]);

/** The movement of money behind a payment that is OK. */
export const MovementAnswer = Type.Object({
  tranId: TranId,
  authCode: anything,
  maskedPan: anything,
  cardBrand: anything,
  payerName: anything,
  payerLastName: anything,
  amount: Type.Optional(Amount),
  // What became of it since. Read where they are of these kinds; a gateway may mean something else by such a name.
  captured: anything,
  reversedValue: anything,
  refundedValue: anything,
});

export const VerifyAnswer = Type.Object({
  txHead: AnswerHead,
  resultCode: Type.String(),
  result: Type.Union([Type.Literal("OK"), Type.Literal("PENDING"), Type.Literal("KO")]),
  paymentId: Type.String({ minLength: 1, maxLength: 64 }),
  redirectURL: anything,
  txRes: Type.Optional(Type.Union([MovementAnswer, Type.Null()])),
});

export const FollowUpAnswer = Type.Object({
  txHead: AnswerHead,
  resultCode: Type.String(),
  txRes: Type.Object({ tranId: TranId, origTranId: anything }),
});

/** What an init asks for. */
export interface InitRequest {
  txHead: { merId: string; txId: string };
  txReq: {
    /** SALE takes the money at once, AUTH leaves that to a capture. */
    txOp: "SALE" | "AUTH";
    amount: Static<typeof Amount>;
    description: string;
    merchantReference?: string;
    /** ISO 8601, UTC. */
    expiresAt?: string;
  };
  poiInfo: { pitype: keyof typeof INSTRUMENTS; terminalId?: string };
  buyer?: { email: string };
  notifyURL: string;
  returnURL?: string;
}

/** A capture, reversal or refund. */
export interface FollowUpRequest {
  txHead: { merId: string; txId: string };
  txReq: { origTranId: string; amount: Static<typeof Amount> };
}
