import type { Endpoint } from "../../endpoint/endpoint.ts";
import { followUpOf } from "./follow-up.ts";
import { initOf } from "./init.ts";
import type { AdapterOperations } from "./surface.ts";
import { verifyOf } from "./verify.ts";

/** All paths of the adapter are below this one, after the context path. */
export const ADAPTER_BASE = "/pgw";

/**
 * The adapter, which offers the gateway's protocol to clients (http/gateway/PROTOCOL.md). The context path is that of the upstream gateway,
 * since clients sign the whole path. What is not here (pay-by-mail, selector, tokenizer, checkout) is answered 404 in the protocol's form.
 */
export function gatewayAdapterEndpoints({ contextPath }: { contextPath: string }): Endpoint<AdapterOperations>[] {
  const base = `${contextPath}${ADAPTER_BASE}/payment`;
  return [
    initOf(`${base}/init`),
    verifyOf("adapterVerify", `${base}/verify`),
    verifyOf("adapterVerification", `${base}/verification`),
    followUpOf("capture", `${base}/capture`),
    followUpOf("reversal", `${base}/reversal`),
    followUpOf("refund", `${base}/refund`),
  ];
}
