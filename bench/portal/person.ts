import { type Agent, type IncomingHttpHeaders, request } from "node:http";
import { currentCode } from "../../http/auth/totp.ts";
import { MERCHANT_BASE } from "../../http/surfaces/merchant/surface.ts";
import { PARTNER_API_BASE } from "../../http/surfaces/partner-v1/surface.ts";
import { SANDBOX_OWNER } from "../../infra/node/boot/sandbox-names.ts";
import { clientAddress } from "../load/terminals.ts";
import { basic } from "../logins/request.ts";

/** Of the relays that this benchmark starts. */
export const ADMIN = { username: "admin", password: "the administrators password" };
const PARTNER_KEY = "pk_partner_sandbox_0000000000000000000000000000";
const PASSWORD = "heron under a violet lamp";

/** The most that a merchant's key may have. */
const CALLS_PER_MINUTE = 10_000;

/** Addresses that portal requests come from, so that none reaches its limit of a second. */
const ADDRESSES = 16;

/** How requests of a caller are let in: a session's cookie, or a merchant's key. */
export type Credentials = { readonly cookie: string } | { readonly authorization: string };

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface PortalRequest {
  method?: "GET" | "POST" | "PATCH";
  /** Below the root of the relay. */
  path: string;
  headers?: { readonly [name: string]: string };
  body?: object;
}

/** Requests to one relay, over the connections of `agent`. */
export class PortalCaller {
  readonly #port: number;
  readonly #agent: Agent;
  #sent = 0;

  constructor(port: number, agent: Agent) {
    this.#port = port;
    this.#agent = agent;
  }

  /** Rejects where there is no answer. `onBytes`: gets the body in pieces, and the answer has none. */
  send({ method = "GET", path, headers = {}, body }: PortalRequest, onBytes?: (bytes: Buffer) => void): Promise<Answer> {
    this.#sent += 1;
    const written = body === undefined ? "" : JSON.stringify(body);
    const all = {
      // What the portal's own page says of its requests.
      ...{ "sec-fetch-site": "same-origin", "x-relay-portal": "1", "accept-encoding": "identity", "user-agent": "bench" },
      "x-forwarded-for": clientAddress(this.#sent % ADDRESSES),
      ...(body === undefined ? {} : { "content-type": "application/json", "content-length": String(Buffer.byteLength(written)) }),
      ...headers,
    };
    return new Promise((resolve, reject) => {
      const sent = request({ host: "127.0.0.1", port: this.#port, agent: this.#agent, path, method, headers: all }, (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (bytes: Buffer) => (onBytes === undefined ? pieces.push(bytes) : onBytes(bytes)));
        response.on("error", reject);
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(pieces).toString() }),
        );
      });
      sent.on("error", reject);
      sent.end(written);
    });
  }

  async must(sent: PortalRequest): Promise<Answer> {
    const answer = await this.send(sent);
    if (answer.status >= 200 && answer.status <= 299) return answer;
    throw new Error(`${sent.method ?? "GET"} ${sent.path}: ${answer.status} ${answer.text.slice(0, 300)}`);
  }

  /** Signs the sandbox's owner in. */
  async signInOwner(): Promise<{ cookie: string }> {
    const { email, password, totpSecret } = SANDBOX_OWNER;
    const begun = await this.must({ method: "POST", path: `${MERCHANT_BASE}/session`, body: { email, password } });
    const { code } = currentCode(totpSecret, Date.now());
    const headers = { cookie: cookieOf(begun) };
    const path = `${MERCHANT_BASE}/session/second-factor`;
    return { cookie: cookieOf(await this.must({ method: "POST", path, headers, body: { code } })) };
  }

  /** Creates a merchant, and its first owner, who has accepted the invitation and is signed in. */
  async newMerchant(merchantId: string): Promise<{ session: Credentials; key: Credentials }> {
    const partner = { authorization: `Bearer ${PARTNER_KEY}` };
    const admin = { authorization: basic(ADMIN.username, ADMIN.password) };
    const email = `owner@${merchantId.toLowerCase()}.example`;
    const merchants = `${PARTNER_API_BASE}/merchants`;
    const created = await this.must({ method: "POST", path: merchants, headers: partner, body: { merchantId } });
    const limit = { compatRequestsPerMinute: CALLS_PER_MINUTE };
    await this.must({ method: "PATCH", path: `/admin/api/merchants/${merchantId}`, headers: admin, body: limit });
    await this.must({ method: "POST", path: `${merchants}/${merchantId}/portal-users`, headers: partner, body: { email } });
    const mails = (await this.must({ path: "/admin/mails?limit=500", headers: admin })).text;
    const id = wanted(mails, new RegExp(`"id":"([^"]+)"[^{}]*"to":"${email.replaceAll(".", "\\.")}"`));
    const mail = (await this.must({ path: `/admin/mails/${id}`, headers: admin })).text;
    const token = wanted(mail, /\/portal\/invitation\/([\w-]+)/);
    const path = `${MERCHANT_BASE}/invitations/${token}/accept`;
    const enrolling = { cookie: cookieOf(await this.must({ method: "POST", path, body: { password: PASSWORD } })) };
    const begun = await this.must({ method: "POST", path: `${MERCHANT_BASE}/me/totp`, headers: enrolling });
    const { code } = currentCode(wanted(begun.text, /"secret":"([A-Z2-7]+)"/), Date.now());
    const enrolled = await this.must({ method: "POST", path: `${MERCHANT_BASE}/me/totp/confirm`, headers: enrolling, body: { code } });
    return {
      session: { cookie: cookieOf(enrolled) },
      key: { authorization: `Bearer ${wanted(created.text, /"secretKey":"([^"]+)"/)}` },
    };
  }
}

function cookieOf({ headers }: Answer): string {
  const [line = ""] = headers["set-cookie"] ?? [];
  if (line === "") throw new Error("no cookie was handed out");
  return line.split(";")[0] ?? "";
}

function wanted(text: string, pattern: RegExp): string {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`${pattern} is not in ${text.slice(0, 300)}`);
  return found;
}
