import { type Static, Type } from "@sinclair/typebox";
import type { Caller } from "../../../engine/access/caller.ts";
import type { ErrorCode } from "../../../engine/kernel/errors.ts";
import type { CreateLink } from "../../../engine/links/create-link.ts";
import type { UseLink } from "../../../engine/links/use-link.ts";
import { type ErrorEnvelope, USUAL_STATUS } from "../../endpoint/error-envelope.ts";
import { surface } from "../../endpoint/surface.ts";
import { PROTOCOL_RESULT } from "../../gateway/forms.ts";

/** What the gateway-protocol adapter uses: the operations of payment links. */
export interface AdapterOperations {
  createLink: CreateLink;
  useLink: UseLink;
  /** The caller's merId at the adapter; null if it has none (any more). */
  adapterMerchantOf(caller: Caller): string | null;
}

/**
 * For one client address over all operations. It is counted before the signature is checked, so that a forged request costs only a table
 * lookup.
 */
export const ADAPTER_RATE = { bucket: "adapter", perSecond: 100 } as const;

const Nullable = Type.Union([Type.String(), Type.Null()]);

export const AdapterHead = Type.Object(
  {
    merId: Nullable,
    txId: Nullable,
    resultCode: Type.String({ description: "The result of this operation; for verify, the result of the payment." }),
    errDescription: Type.String({ description: "What the code means; the gateway's own description if the gateway refused." }),
  },
  { title: "AdapterHead" },
);

/** The body of every refusal, also for unknown operations. */
export const AdapterError = Type.Object({ txHead: AdapterHead, resultCode: Type.String() }, { title: "AdapterError" });

const RESULT_OF: Readonly<Record<ErrorCode, string>> = {
  invalid_request: PROTOCOL_RESULT.invalidRequest,
  unauthorized: PROTOCOL_RESULT.notAuthenticated,
  forbidden: PROTOCOL_RESULT.notAuthenticated,
  not_found: PROTOCOL_RESULT.notExposed,
  method_not_allowed: PROTOCOL_RESULT.notExposed,
  upgrade_required: PROTOCOL_RESULT.notExposed,
  duplicate: PROTOCOL_RESULT.txIdReused,
  conflict: PROTOCOL_RESULT.notPossible,
  terminal_queue_full: PROTOCOL_RESULT.tooMany,
  rate_limited: PROTOCOL_RESULT.tooMany,
  too_busy: PROTOCOL_RESULT.unavailable,
  payload_too_large: PROTOCOL_RESULT.invalidRequest,
  head_too_large: PROTOCOL_RESULT.invalidRequest,
  unsupported_media_type: PROTOCOL_RESULT.invalidRequest,
  expectation_failed: PROTOCOL_RESULT.invalidRequest,
  request_timeout: PROTOCOL_RESULT.invalidRequest,
  unavailable: PROTOCOL_RESULT.unavailable,
  internal: PROTOCOL_RESULT.internal,
};

export function resultOf(code: ErrorCode): string {
  return RESULT_OF[code];
}

export const adapterEnvelope: ErrorEnvelope & { schema: typeof AdapterError } = {
  schema: AdapterError,
  status: USUAL_STATUS,
  body: (code, message): Static<typeof AdapterError> => {
    const resultCode = resultOf(code);
    return { txHead: { merId: null, txId: null, resultCode, errDescription: message }, resultCode };
  },
};

export const adapter = surface<AdapterOperations>()({
  name: "gatewayAdapter",
  tags: ["Gateway-protocol adapter"],
  envelope: adapterEnvelope,
});
