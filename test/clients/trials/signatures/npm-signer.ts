import { once } from "node:events";
import { request } from "node:http";
import httpSignature from "http-signature";
import { digestHeader } from "../../../../http/auth/http-signature.ts";
import type { SignedAnswer, SignedCall } from "./signed-request.ts";

/** Signs with http-signature, of npm, and sends with Node's own client. */
export async function signWithHttpSignature(call: SignedCall): Promise<SignedAnswer> {
  const { method, url, body, sentBody, salt, keyId, secret, algorithm, headers } = call;
  const { host } = new URL(url);
  const out = request(url, { method, agent: false, headers: { host, "x-signature-salt": salt, "content-type": "application/json" } });
  if (method === "POST") out.setHeader("digest", digestHeader(Buffer.from(body)));
  // What it refuses, it throws before anything is sent.
  out.on("error", () => undefined);
  httpSignature.signRequest(out, { keyId, key: secret, algorithm, ...(headers.length === 0 ? {} : { headers: [...headers] }) });
  const authorization = String(out.getHeader("authorization"));
  out.end(method === "POST" ? sentBody : undefined);
  const [response] = await once(out, "response");
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  return { status: response.statusCode, text, authorization };
}
