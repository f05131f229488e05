import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { digestHeader } from "../../../http/auth/http-signature.ts";
import { SANDBOX_ADAPTER_LOGIN } from "../../../infra/node/process/sandbox-partner.ts";
import type { Answer } from "./http-client.ts";
import { signIndependently } from "./independent-signature.ts";

/** A client of the gateway-protocol adapter that signs with an independent implementation. */
export class AdapterClient {
  /** The address with the context path. */
  readonly #url: () => string;
  readonly merId: string;
  readonly #secret: string;

  constructor(url: () => string, merId = SANDBOX_ADAPTER_LOGIN.merchantId, secret = SANDBOX_ADAPTER_LOGIN.secret) {
    this.#url = url;
    this.merId = merId;
    this.#secret = secret;
  }

  post(path: string, body: unknown): Promise<Answer> {
    return this.#send("POST", path, typeof body === "string" ? body : JSON.stringify(body));
  }

  get(path: string): Promise<Answer> {
    return this.#send("GET", path, "");
  }

  verify(query: { paymentId?: string; txId?: string }, operation = "verify"): Promise<Answer> {
    return this.get(`/pgw/payment/${operation}?${new URLSearchParams({ merId: this.merId, ...query })}`);
  }

  #send(method: "GET" | "POST", path: string, body: string): Promise<Answer> {
    const { hostname, port, host, pathname } = new URL(this.#url());
    return new Promise((resolve, reject) => {
      const out = request({
        agent: false,
        hostname,
        port,
        method,
        path: pathname.replace(/\/$/, "") + path,
        headers: { host, "x-signature-salt": randomUUID() },
      });
      if (method === "POST") {
        out.setHeader("digest", digestHeader(Buffer.from(body)));
        out.setHeader("content-type", "application/json");
      }
      signIndependently(out, { keyId: this.merId, secret: this.#secret });
      out.on("error", reject).on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const bytes = Buffer.concat(chunks);
          const text = bytes.toString("utf8");
          // All answers of the adapter are JSON.
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, bytes, body: JSON.parse(text) });
        });
      });
      out.end(body);
    });
  }
}
