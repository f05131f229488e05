import { TOTP } from "otpauth";
import type { Answer, HttpClient, HttpRequest } from "../support/http/http-client.ts";
import { listOf, member, textMember } from "../support/http/matches.ts";
import { basic } from "../support/node/node.ts";

/** A relay to write secrets into. */
export interface Written {
  /** A caller with these headers, at an address of its own. */
  caller(headers: { [name: string]: string }): HttpClient;
  /** A secret that nobody else has, to be looked for afterwards; also fit for keys and user names. */
  secret(): string;
  /** A name that is no secret. */
  name(): string;
  /** A credential that an answer has shown for its one time: from now on it is looked for too. */
  shownOnce(answer: Answer, ...path: string[]): string;
  /** The same credential in the answer to the same request, sent again with its idempotency key. */
  shownAgain(answer: Answer, ...path: string[]): void;
  /** The recovery codes that an answer has, as they are shown and as they are compared. */
  recoveryCodes(answer: Answer): void;
  /** The session that an answer begins or goes on with: its token is looked for too. Answers with the whole cookie. */
  cookie(answer: Answer): string;
}

/**
 * Every way by which a secret gets in, to be looked for afterwards in the data directory, the logs, all answers and the metrics (secrets.test.ts). Whoever adds
 * an endpoint that takes or makes a secret adds it here; each entry writes what it writes rightly, wrongly and twice.
 */
export const WAYS_IN: { about: string; write: (relay: Written) => Promise<void> }[] = [
  { about: "partners", write: partners },
  { about: "administrators", write: administrators },
  { about: "the partner portal", write: portal },
  { about: "the installation's gateway account", write: installation },
  { about: "Partner API v1", write: partnerApi },
  { about: "signing in to the operators' pages", write: operatorsPages },
  { about: "webhooks in the merchants' portal", write: merchantWebhooks },
  { about: "credentials of AI agents", write: agentCredentials },
  { about: "payment methods and keys in the merchants' portal", write: merchantPortal },
  { about: "credentials of callers that are not let in", write: wrongCallers },
];

const ADMINISTRATOR = { authorization: basic("admin", "admin") };

async function must(status: number, answer: Promise<Answer>): Promise<Answer> {
  const found = await answer;
  if (found.status !== status) throw new Error(`${status} was expected, not ${found.status}: ${found.text}`);
  return found;
}

/** A partner with everything that a partner can have. */
async function newPartner(relay: Written) {
  const administrator = relay.caller(ADMINISTRATOR);
  const username = relay.name();
  const created = await must(
    201,
    administrator.post("/admin/api/partners", {
      username,
      gwTml: "T",
      gwApiKey: relay.name().slice(0, 60),
      gwSecretKey: relay.secret(),
      adapterMerId: relay.name().slice(-16),
      adapterSecret: relay.secret(),
      partnerApi: { partnerCode: relay.name(), maxMerchants: 10, allowedServices: ["PAYPAL", "SHIFT4", "BANCOMAT_PAY"] },
    }),
  );
  return { administrator, username, created, path: `/admin/api/partners/${member(created.body, "data", "id")}` };
}

async function partners(relay: Written): Promise<void> {
  const { administrator, username, created, path } = await newPartner(relay);
  const put = (status: number, body: object) => must(status, administrator.send(path, { method: "PUT", body }));
  relay.shownOnce(created, "data", "apiKey");
  const password = relay.shownOnce(created, "generatedPassword");
  relay.shownOnce(created, "partnerApiKeys", "apiKey");
  relay.shownOnce(created, "partnerApiKeys", "secret");
  await must(200, relay.caller({ authorization: basic(username, password) }).connection("T1"));
  const chosen = relay.secret();
  await put(200, { password: chosen, gwSecretKey: relay.secret(), adapterSecret: relay.secret() });
  await must(200, relay.caller({ authorization: basic(username, chosen) }).connection("T1"));
  const again = await must(200, administrator.post(`${path}/generate-api-key`, { graceSeconds: 60 }));
  await must(200, relay.caller({ "api-key": relay.shownOnce(again, "apiKey") }).connection("T1"));
  relay.shownOnce(await must(200, administrator.post(`${path}/reset-password`)), "data", "generatedPassword");
  // What is refused is not repeated either.
  await put(400, { gwSecretKey: { nested: relay.secret() } });
  await put(400, { password: [relay.secret()] });
  await put(400, { gwSecretKey: `${relay.secret()}${"x".repeat(600)}` });
  await must(400, administrator.post("/admin/api/partners", { username, gwTml: "T", gwApiKey: "K", gwSecretKey: relay.secret() }));
  await must(400, administrator.post("/admin/api/partners", `{"gwSecretKey":"${relay.secret()}"`));
  await must(404, administrator.send("/admin/api/partners/999999", { method: "PUT", body: { password: relay.secret() } }));
  await must(200, administrator.send(`${path}/toggle`, { method: "PATCH" }));
  await must(200, administrator.send(path, { method: "DELETE" }));
}

async function administrators(relay: Written): Promise<void> {
  const owner = relay.caller(ADMINISTRATOR);
  const base = "/admin/administrators";
  const [username, other, chosen] = [relay.name(), relay.name(), relay.secret()];
  const asThem = (password: string) => relay.caller({ authorization: basic(username, password) });
  await must(201, owner.post(base, { username, role: "operator", password: chosen }));
  await must(200, asThem(chosen).get("/admin/terminals"));
  const own = relay.secret();
  await must(200, asThem(chosen).post(`${base}/me/password`, { password: own }));
  await must(200, asThem(own).connection("T1"));
  const generated = relay.shownOnce(await must(200, owner.post(`${base}/${username}/reset-password`)), "data", "generatedPassword");
  await must(200, asThem(generated).get(`${base}/me`));
  const given = relay.secret();
  await must(200, owner.post(`${base}/${username}/reset-password`, { password: given }));
  relay.shownOnce(await must(201, owner.post(base, { username: other, role: "read-only" })), "generatedPassword");
  // What is refused is not repeated either.
  await must(400, owner.post(base, { username: other, role: "owner", password: relay.secret() }));
  await must(400, owner.post(base, { username: relay.name(), role: "owner", password: [relay.secret()] }));
  await must(400, owner.post(base, { username: relay.name(), role: relay.secret(), password: relay.secret() }));
  await must(403, asThem(given).post(base, { username: relay.name(), role: "owner", password: relay.secret() }));
  await must(404, owner.post(`${base}/${relay.name()}/reset-password`, { password: relay.secret() }));
  await must(409, owner.post(`${base}/me/password`, { password: relay.secret() }));
  await must(401, asThem(relay.secret()).get(`${base}/me`));
  await must(200, owner.send(`${base}/${username}`, { method: "DELETE" }));
}

async function portal(relay: Written): Promise<void> {
  const { username, created } = await newPartner(relay);
  const password = relay.shownOnce(created, "generatedPassword");
  relay.shownOnce(created, "data", "apiKey");
  const partner = relay.caller({ authorization: basic(username, password) });
  relay.shownOnce(await must(200, partner.post("/api/partner/regenerate-key")), "apiKey");
  await must(200, partner.post("/api/partner/gw-credentials", { gwSecretKey: relay.secret() }));
  await must(200, partner.post("/api/partner/gw-credentials/test", { gwSecretKey: relay.secret() }));
  await must(400, partner.post("/api/partner/gw-credentials", { gwSecretKey: [relay.secret()] }));
  await must(400, partner.post("/api/partner/gw-credentials/test", { secret: relay.secret() }));
  await must(400, partner.post("/api/partner/origins", { shop: relay.secret() }));
  await must(200, partner.get("/api/partner/gw-credentials"));
}

async function operatorsPages(relay: Written): Promise<void> {
  const [username, password, own] = [relay.name(), relay.secret(), relay.secret()];
  await must(201, relay.caller(ADMINISTRATOR).post("/admin/administrators", { username, password, role: "owner" }));
  const browser = browserOf(relay, "/admin");
  await browser.post(401, "/session", { username, password: relay.secret() });
  await browser.post(400, "/session", { username, password: [relay.secret()] });
  await browser.post(200, "/session", { username, password });
  await enrol(relay, browser, "/factors/totp");
  relay.recoveryCodes(await browser.post(200, "/factors/recovery-codes"));
  await browser.post(400, "/session/step-up", { code: relay.secret() });
  await browser.post(200, "/administrators/me/password", { password: own });
  // The session ended with the password.
  await browser.post(200, "/session", { username, password: own });
}

async function installation(relay: Written): Promise<void> {
  const administrator = relay.caller(ADMINISTRATOR);
  const account = () => ({ gwTml: "T", gwApiKey: "INSTALLATION", gwSecretKey: relay.secret() });
  await must(200, administrator.post("/admin/gw-credentials", account()));
  await must(200, administrator.post("/admin/gw-credentials", account()));
  await must(200, administrator.post("/admin/gw-credentials/test", account()));
  await must(400, administrator.post("/admin/gw-credentials", { ...account(), gwTml: "" }));
}

async function merchantPortal(relay: Written): Promise<void> {
  const { administrator, created } = await newPartner(relay);
  const partner = relay.caller({ authorization: `Bearer ${relay.shownOnce(created, "partnerApiKeys", "apiKey")}` });
  const merchantId = relay.name();
  const merchant = await must(201, partner.post("/partner/api/v1/merchants", { merchantId }));
  const key = relay.caller({ authorization: `Bearer ${relay.shownOnce(merchant, "keys", "secretKey")}` });
  const owner = await newOwner(relay, administrator, partner, merchantId);
  const base = "/api/merchant/payment-methods";
  const put = (status: number, caller: HttpClient, service: string, body: object, headers: { [name: string]: string } = {}) =>
    must(status, caller.send(`${base}/${service}`, { method: "PUT", headers, body }));
  for (const caller of [owner, key]) {
    const paypal = () => ({ mode: "sandbox", clientId: "client-1", clientSecret: relay.secret() });
    await put(200, caller, "PAYPAL", paypal(), { "idempotency-key": relay.name() });
    await put(200, caller, "PAYPAL", paypal());
    const pem = (what: string) => `-----BEGIN ${what}-----\n${relay.secret()}\n-----END ${what}-----\n`;
    const bancomat = { idPg: "1", idNegozio: "2", merchantName: "Bar", certificate: pem("CERTIFICATE"), privateKey: pem("PRIVATE KEY") };
    await put(200, caller, "BANCOMAT_PAY", { mode: "live", ...bancomat });
    // What is refused is not repeated either.
    await put(400, caller, "PAYPAL", { ...paypal(), clientSecret: `${relay.secret()}${"x".repeat(300)}` });
    await put(400, caller, "PAYPAL", { ...paypal(), [relay.name()]: relay.secret() });
    await put(404, caller, "NOPE", paypal());
    await put(403, caller, "SKRILL", { mode: "live", key: relay.secret() });
    await must(409, caller.send(`${base}/PAYPAL?seen=never`, { method: "PUT", body: paypal() }));
    await must(200, caller.get(base));
  }
  relay.shownOnce(await must(201, owner.post("/api/merchant/keys", undefined, { "idempotency-key": relay.name() })), "data", "secretKey");
  relay.shownOnce(await must(201, owner.post("/api/merchant/keys")), "data", "secretKey");
  await must(200, owner.get("/api/merchant/keys"));
  await must(401, key.get(base));
}

async function merchantWebhooks(relay: Written): Promise<void> {
  const { administrator, created } = await newPartner(relay);
  const partner = relay.caller({ authorization: `Bearer ${relay.shownOnce(created, "partnerApiKeys", "apiKey")}` });
  const merchantId = relay.name();
  const merchant = await must(201, partner.post("/partner/api/v1/merchants", { merchantId }));
  const key = relay.caller({ authorization: `Bearer ${relay.shownOnce(merchant, "keys", "secretKey")}` });
  const owner = await newOwner(relay, administrator, partner, merchantId);
  const base = "/api/merchant/webhooks";
  const idempotent = () => ({ "idempotency-key": relay.name() });
  for (const caller of [owner, key]) {
    for (const format of ["portal", "platform"]) {
      // Nothing is sent to it.
      const events = [format === "portal" ? "payment_link.expired" : "charge.refunded"];
      const made = await must(201, caller.post(base, { url: "https://hooks.example/", format, events }, idempotent()));
      relay.shownOnce(made, "data", "secret");
      const path = `${base}/${textMember(made.body, "data", "endpoint", "id")}`;
      relay.shownOnce(await must(200, caller.post(`${path}/rotate-secret`, undefined, idempotent())), "data", "secret");
      await must(200, caller.send(path, { method: "PATCH", body: { description: "changed" } }));
    }
    await must(200, caller.get(base));
  }
}

async function agentCredentials(relay: Written): Promise<void> {
  const { administrator, created } = await newPartner(relay);
  const partner = relay.caller({ authorization: `Bearer ${relay.shownOnce(created, "partnerApiKeys", "apiKey")}` });
  const merchantId = relay.name();
  const merchant = await must(201, partner.post("/partner/api/v1/merchants", { merchantId }));
  const key = relay.caller({ authorization: `Bearer ${relay.shownOnce(merchant, "keys", "secretKey")}` });
  const owner = await newOwner(relay, administrator, partner, merchantId);
  const base = "/api/merchant/agent-credentials";
  for (const caller of [owner, key]) {
    const headers = { "idempotency-key": relay.name() };
    const made = await must(201, caller.post(base, { name: "Agent", scopes: ["links:read"] }, headers));
    relay.shownOnce(made, "data", "token");
    const again = await must(201, caller.post(base, { name: "Agent", scopes: ["links:read"] }, headers));
    relay.shownAgain(again, "data", "token");
    const path = `${base}/${textMember(made.body, "data", "credential", "id")}`;
    for (const read of [base, path]) await must(200, caller.get(read));
    await must(200, caller.send(path, { method: "DELETE" }));
  }
  await must(200, owner.post(`${base}/revoke-all`));
}

/** The merchant's first owner with a session of the portal. */
async function newOwner(relay: Written, administrator: HttpClient, partner: HttpClient, merchantId: string): Promise<HttpClient> {
  const email = `${relay.name()}@example.com`;
  await must(201, partner.post(`/partner/api/v1/merchants/${merchantId}/portal-users`, { email }));
  const [mail] = listOf(member((await must(200, administrator.get("/admin/mails"))).body, "data"));
  const { body } = await must(200, administrator.get(`/admin/mails/${textMember(mail, "id")}`));
  const token = /\/portal\/invitation\/(\S+)/.exec(textMember(body, "data", "text"))?.[1] ?? "";
  const browser = browserOf(relay, "/api/merchant");
  await browser.post(200, `/invitations/${token}/accept`, { password: relay.secret() });
  await enrol(relay, browser, "/me/totp");
  relay.recoveryCodes(await browser.post(200, "/me/recovery-codes"));
  return browser.caller();
}

/** Keeps the cookie of its session. */
interface Browser {
  post(status: number, path: string, body?: unknown): Promise<Answer>;
  /** The session as it is now. */
  caller(): HttpClient;
}

function browserOf(relay: Written, base: string): Browser {
  let cookie = "";
  const caller = () => relay.caller({ "sec-fetch-site": "same-origin", "x-relay-portal": "1", cookie });
  return {
    post: async (status, path, body) => {
      const answer = await must(status, caller().post(base + path, body));
      if (answer.headers["set-cookie"] !== undefined) cookie = relay.cookie(answer);
      return answer;
    },
    caller,
  };
}

/** Adds an authenticator app, the first second factor. */
async function enrol(relay: Written, browser: Browser, path: string): Promise<void> {
  const begun = await browser.post(200, path, {});
  const secret = relay.shownOnce(begun, "data", "secret");
  const confirmed = await browser.post(200, `${path}/confirm`, { code: new TOTP({ secret }).generate() });
  relay.recoveryCodes(confirmed);
}

async function partnerApi(relay: Written): Promise<void> {
  const { created } = await newPartner(relay);
  const caller = relay.caller({ authorization: `Bearer ${relay.shownOnce(created, "partnerApiKeys", "apiKey")}` });
  const merchantId = relay.name();
  const base = "/partner/api/v1/merchants";
  const idempotent = { "idempotency-key": relay.name() };
  const merchant = await must(201, caller.post(base, { merchantId, merchantName: "Shop" }, idempotent));
  relay.shownOnce(merchant, "keys", "secretKey");
  const configure = (status: number, service: string, body: object, request: Pick<HttpRequest, "headers"> = {}) =>
    must(status, caller.send(`${base}/${merchantId}/services/${service}/config`, { method: "PUT", body, ...request }));
  await configure(
    200,
    "PAYPAL",
    { clientId: "client", clientSecret: relay.secret(), mode: "sandbox" },
    { headers: { "idempotency-key": relay.name() } },
  );
  await configure(200, "SHIFT4", { merchantId: "shift", signatureKey: relay.secret(), mode: "sandbox" });
  const certificate = relay.secret();
  const store = { idPg: "p", idNegozio: "n", merchantName: "Shop", certificate, privateKey: relay.secret(), mode: "sandbox" };
  await configure(200, "BANCOMAT_PAY", store);
  await configure(400, "PAYPAL", { clientId: "client", clientSecret: { nested: relay.secret() }, mode: "sandbox" });
  await must(200, caller.get(`${base}/${merchantId}`));
  await must(200, caller.get(base));
}

async function wrongCallers(relay: Written): Promise<void> {
  await must(401, relay.caller({ "api-key": `pk_live_${relay.secret()}` }).connection("T1"));
  await must(401, relay.caller({ authorization: basic("demo", relay.secret()) }).connection("T1"));
  await must(401, relay.caller({ authorization: basic(relay.secret(), "x") }).connection("T1"));
  await must(401, relay.caller({ authorization: `Bearer pk_partner_${relay.secret()}` }).get("/partner/api/v1/me"));
  await must(400, relay.caller(ADMINISTRATOR).get(`/admin/audit?limit=${relay.secret()}`));
  await must(404, relay.caller(ADMINISTRATOR).get(`/admin/nothing?key=${relay.secret()}`));
}

/** Keeps `textMember` in one place for what is shown once. */
export function textAt(answer: Answer, path: string[]): string {
  return textMember(answer.body, ...path);
}
