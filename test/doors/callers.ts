import { randomBytes, randomUUID } from "node:crypto";
import { administratorCookie } from "../../http/auth/administrator-session.ts";
import { SIGNATURE_SKEW_MAX_MS, signRequest } from "../../http/auth/http-signature.ts";
import { portalCookie } from "../../http/auth/portal-session.ts";
import { terminalPassword } from "../../http/auth/terminal-password.ts";
import { SANDBOX_MERCHANT, SANDBOX_PARTNER_API } from "../../infra/node/boot/sandbox-names.ts";
import { DEMO_PARTNER, SANDBOX_ADAPTER_LOGIN } from "../../infra/node/process/sandbox-partner.ts";
import { API_KEY, basic } from "../support/node/node.ts";
import type { ValidRequest } from "./requests.ts";
import type { AdminShown, Credentials, PortalShown, Shown } from "./rules.ts";

/** A partner as the administration made it, with every way in. */
export interface PartnerKeys {
  username: string;
  password: string;
  apiKey: string;
  partnerApiKey: string;
  partnerApiSecret: string;
  merId: string;
  adapterSecret: string;
}

export interface MerchantKeys {
  publishableKey: string;
  secretKey: string;
}

/** The right credentials of a node's world. */
export interface Keys {
  administrator: { username: string; password: string };
  operator: { username: string; password: string };
  readOnly: { username: string; password: string };
  /** Machine tokens: with all rights, and one that may only look. */
  machine: { username: string; password: string };
  readingMachine: { username: string; password: string };
  fleet: { username: string; password: string };
  /** The derived password of a terminal. */
  terminalPassword(terminalId: string): string;
  terminalId: string;
  managerId: string;
  otherTerminalId: string;
  deniedTerminalId: string;
  partner: PartnerKeys;
  stranger: PartnerKeys;
  viewer: PartnerKeys;
  disabled: PartnerKeys;
  deleted: PartnerKeys;
  /** Its key is for pages of ORIGIN, its key for Partner API v1 for an address that is not ours. */
  bound: PartnerKeys;
  /** Of a merchant of the partner, and those that it had before. */
  merchantKeys: MerchantKeys;
  replacedMerchantKeys: MerchantKeys;
  /** Of a merchant of the stranger. */
  otherMerchantKeys: MerchantKeys;
  /** Tokens of AI agents of the partner's merchant: one that counts, one that was revoked, and one for an address that is not ours. */
  agents: { own: string; revoked: string; elsewhere: string };
  /** Tokens of sessions of the portal. */
  portal: { owner: string; viewer: string; otherOwner: string; ownerWithoutFactor: string };
  /** Tokens of sessions of the operators' pages. */
  admin: { owner: string; readOnly: string; ownerWithoutFactor: string };
}

export const ORIGIN = "https://shop.example";
/** One that nobody has. */
const GUESS = "a-guess-of-nobodys-password";

const FOREIGN_ORIGIN = "https://evil.example";

/** Under both of its names: in production it is the one for TLS, and each node reads its own. */
const PORTAL_COOKIES = [false, true].map((isSecure) => portalCookie({ isSecure }).name);
const ADMIN_COOKIES = [false, true].map((isSecure) => administratorCookie({ isSecure }).name);
const adminCookiesOf = (token: string) => ADMIN_COOKIES.map((name) => `${name}=${token}`).join("; ");
const cookiesOf = (token: string) => PORTAL_COOKIES.map((name) => `${name}=${token}`).join("; ");

export type Headers = { [name: string]: string };

/** One kind of caller: what it shows, for the rules, and how it shows it. */
export interface Caller {
  who: string;
  shows: Credentials;
  /** It is refused for its request and not for its credential, and may be told why. */
  saysWhy?: true;
  headers(keys: Keys, request: ValidRequest, host: string): Headers;
}

/** Right ones. What they are refused, they are refused for who they are. */
const RIGHT: readonly Caller[] = [
  byBasic("the administrator", "administrator", ({ administrator }) => [administrator.username, administrator.password]),
  byBasic("an operator", "operator", ({ operator }) => [operator.username, operator.password]),
  byBasic("an administrator who may only look", "read-only", ({ readOnly }) => [readOnly.username, readOnly.password]),
  byBasic("a machine token with all rights", "machine", ({ machine }) => [machine.username, machine.password]),
  byBasic("a machine token that may only look", "reading machine", ({ readingMachine }) => [
    readingMachine.username,
    readingMachine.password,
  ]),
  byBasic("the fleet", "fleet", ({ fleet }) => [fleet.username, fleet.password]),
  byBasic("the terminal", "terminal", (keys) => [keys.terminalId, keys.terminalPassword(keys.terminalId)]),
  byBasic("a terminal that manages it", "manager", (keys) => [keys.managerId, keys.terminalPassword(keys.managerId)]),
  byBasic("another terminal", "other terminal", (keys) => [keys.otherTerminalId, keys.terminalPassword(keys.otherTerminalId)]),
  byBasic("the partner by password", "partner", ({ partner }) => [partner.username, partner.password]),
  byBasic("a partner whose rule does not name the terminal, by password", "stranger", ({ stranger }) => [
    stranger.username,
    stranger.password,
  ]),
  byKey("the partner by key", "partner", ({ partner }) => partner.apiKey),
  byKey("a partner whose rule does not name the terminal, by key", "stranger", ({ stranger }) => stranger.apiKey),
  byBearer("the partner by its key for Partner API v1", "partner", ({ partner }) => partner.partnerApiKey),
  byBearer("another partner of Partner API v1", "stranger", ({ stranger }) => stranger.partnerApiKey),
  byBearer("another partner of Partner API v1 that may only look", "viewer", ({ viewer }) => viewer.partnerApiKey),
  byBearer("the merchant by its secret key", "merchant", ({ merchantKeys }) => merchantKeys.secretKey),
  byBasic("the merchant by its secret key as a user name", "merchant", ({ merchantKeys }) => [merchantKeys.secretKey, ""]),
  byBearer("the merchant by its publishable key", "publishable", ({ merchantKeys }) => merchantKeys.publishableKey),
  byBearer("another merchant by its secret key", "other merchant", ({ otherMerchantKeys }) => otherMerchantKeys.secretKey),
  byBearer("an AI agent of the merchant", "agent", ({ agents }) => agents.own),
  bySignature("the partner by signature", "partner", ({ partner }) => partner),
  { ...bySignature("another partner of the adapter, in the partner's name", "stranger", ({ stranger }) => stranger), saysWhy: true },
];

/** Wrong everywhere, but where they show a right credential beside. */
const WRONG: readonly Caller[] = [
  { who: "nobody", shows: {}, headers: () => ({}) },

  { who: "Basic that is no Base64", shows: { basic: "wrong" }, headers: () => ({ authorization: "Basic %%%" }) },
  { who: "Basic without a colon", shows: { basic: "wrong" }, headers: () => ({ authorization: `Basic ${base64("admin")}` }) },
  { who: "Basic without anything", shows: { basic: "wrong" }, headers: () => ({ authorization: "Basic" }) },
  { who: "Basic of 2,000 characters", shows: { basic: "wrong" }, headers: () => ({ authorization: basic("admin", "a".repeat(1_500)) }) },
  { who: "an unknown scheme", shows: {}, headers: () => ({ authorization: "Negotiate YII=" }) },

  byBasic("an unknown name", "wrong", () => ["nobody-at-all", GUESS]),
  byBasic(
    "the administrator from a foreign page",
    "foreign page",
    ({ administrator }) => [administrator.username, administrator.password],
    {
      origin: FOREIGN_ORIGIN,
    },
  ),
  byBasic(
    "the administrator from a page of the same site",
    "foreign page",
    (keys) => [keys.administrator.username, keys.administrator.password],
    {
      "sec-fetch-site": "same-site",
    },
  ),
  byBasic("a machine token with a wrong token", "wrong", ({ machine }) => [machine.username, GUESS]),
  byBasic("a machine token by another one's token", "wrong", ({ machine, readingMachine }) => [machine.username, readingMachine.password]),
  byBasic("an operator with a wrong password", "wrong", ({ operator }) => [operator.username, GUESS]),
  byBasic("an empty name and password", "wrong", () => ["", ""]),
  byBasic("the administrator with a wrong password", "wrong", ({ administrator }) => [administrator.username, GUESS]),
  byBasic("the administrator with an empty password", "wrong", ({ administrator }) => [administrator.username, ""]),
  byBasic("the sandbox's administrator", "wrong", () => ["admin", "admin"]),
  byBasic("the sandbox's fleet", "wrong", () => ["terminal", "terminal"]),
  byBasic("the terminal with its password in the sandbox", "wrong", ({ terminalId }) => [
    terminalId,
    terminalPassword("sandbox-terminal-secret", terminalId),
  ]),
  byBasic("the administrator in capitals", "wrong", (keys) => [keys.administrator.username.toUpperCase(), keys.administrator.password]),
  byBasic("the fleet with a wrong password", "wrong", ({ fleet }) => [fleet.username, GUESS]),
  byBasic("the terminal with a wrong password", "wrong", ({ terminalId }) => [terminalId, GUESS]),
  byBasic("the terminal with another terminal's password", "wrong", (keys) => [
    keys.terminalId,
    keys.terminalPassword(keys.otherTerminalId),
  ]),
  byBasic("a denied terminal", "wrong", (keys) => [keys.deniedTerminalId, keys.terminalPassword(keys.deniedTerminalId)]),
  byBasic("the partner with a wrong password", "wrong", ({ partner }) => [partner.username, GUESS]),
  byBasic("the partner with another partner's password", "wrong", ({ partner, stranger }) => [partner.username, stranger.password]),
  byBasic("the partner with its key as password", "wrong", ({ partner }) => [partner.username, partner.apiKey]),
  byBasic("a disabled partner by password", "wrong", ({ disabled }) => [disabled.username, disabled.password]),
  byBasic("a deleted partner by password", "wrong", ({ deleted }) => [deleted.username, deleted.password]),

  byKey("a made-up key", "wrong", () => `pk_live_${randomUUID().replaceAll("-", "")}`),
  byKey("a key of 2,000 characters", "wrong", () => "k".repeat(2_000)),
  byKey("a disabled partner by key", "wrong", ({ disabled }) => disabled.apiKey),
  byKey("a deleted partner by key", "wrong", ({ deleted }) => deleted.apiKey),
  byKey("a partner with its password as key", "wrong", ({ partner }) => partner.password),
  byKey("a partner with its key for Partner API v1 as key", "wrong", ({ partner }) => partner.partnerApiKey),
  byKey("a merchant by its secret key", "wrong", ({ merchantKeys }) => merchantKeys.secretKey),
  byKey("a partner's key from a foreign page", "from elsewhere", ({ bound }) => bound.apiKey, { origin: FOREIGN_ORIGIN }),
  byKey("a partner's key from a page that hides its origin", "from elsewhere", ({ bound }) => bound.apiKey, { origin: "null" }),
  byKey("a partner's key from a foreign page by its Referer", "from elsewhere", ({ bound }) => bound.apiKey, {
    referer: `${FOREIGN_ORIGIN}/${ORIGIN}/`,
  }),

  byBearer("a made-up bearer key", "wrong", () => `pk_partner_${randomUUID().replaceAll("-", "")}`),
  byBearer("a disabled partner by bearer key", "wrong", ({ disabled }) => disabled.partnerApiKey),
  byBearer("a deleted partner by bearer key", "wrong", ({ deleted }) => deleted.partnerApiKey),
  byBearer("a partner with its API key as bearer", "wrong", ({ partner }) => partner.apiKey),
  byBearer("a partner with its webhook secret as bearer", "wrong", ({ partner }) => partner.partnerApiSecret),
  byBearer("a made-up merchant's key", "wrong", () => `sk_merchant_${randomUUID().replaceAll("-", "")}`),
  { ...byBearer("the merchant by a key that was replaced", "wrong", (keys) => keys.replacedMerchantKeys.secretKey), saysWhy: true },
  byBasic("the merchant by its secret key with a password", "wrong", ({ merchantKeys }) => [merchantKeys.secretKey, GUESS]),
  byBasic("the merchant's login from a foreign page", "merchant's foreign page", ({ merchantKeys }) => [merchantKeys.secretKey, ""], {
    origin: FOREIGN_ORIGIN,
  }),
  byBearer("a made-up token of an AI agent", "wrong", () => `ak_merchant_${randomBytes(32).toString("base64url")}`),
  { ...byBearer("an AI agent that was revoked", "wrong", ({ agents }) => agents.revoked), saysWhy: true },
  byBearer("an AI agent from an address that it is not for", "agent from elsewhere", ({ agents }) => agents.elsewhere),
  byBearer("a foreign page with an AI agent's token", "agent's foreign page", ({ agents }) => agents.own, { origin: FOREIGN_ORIGIN }),
  byBearer("a partner's bearer key from outside its whitelist", "from elsewhere", ({ bound }) => bound.partnerApiKey),

  byCookie("an owner of the merchant", "owner", ({ portal }) => portal.owner),
  byCookie("a viewer of the merchant", "viewer", ({ portal }) => portal.viewer),
  byCookie("an owner of another partner's merchant", "other owner", ({ portal }) => portal.otherOwner),
  { ...byCookie("an owner before the second factor", "owner without factor", ({ portal }) => portal.ownerWithoutFactor), saysWhy: true },
  byCookie("a page of another site with an owner's session", "owner's foreign page", ({ portal }) => portal.owner, {
    "sec-fetch-site": "cross-site",
    origin: FOREIGN_ORIGIN,
  }),
  byCookie("a made-up session", "wrong", () => randomBytes(32).toString("base64url")),
  { ...byCookie("a session of 1,500 characters", "wrong", () => "a".repeat(1_500)), saysWhy: true },
  { ...byCookie("a made-up session twice", "wrong", () => `${"a".repeat(43)}; ${cookiesOf("a".repeat(43))}`), saysWhy: true },

  byAdminCookie("an owner's session of the operators' pages", "owner", ({ admin }) => admin.owner),
  byAdminCookie("the session of an administrator who may only look", "read-only", ({ admin }) => admin.readOnly),
  {
    ...byAdminCookie("an owner's session before the second factor", "owner without factor", ({ admin }) => admin.ownerWithoutFactor),
    saysWhy: true,
  },
  byAdminCookie(
    "a page of another site with an owner's session of the operators' pages",
    "owner's foreign page",
    ({ admin }) => admin.owner,
    {
      "sec-fetch-site": "cross-site",
      origin: FOREIGN_ORIGIN,
    },
  ),
  byAdminCookie("a made-up session of the operators' pages", "wrong", () => randomBytes(32).toString("base64url")),
  byAdminCookie("an owner's session of the portal as one of the operators' pages", "wrong", ({ portal }) => portal.owner),
  byCookie("an owner's session of the operators' pages as one of the portal", "wrong", ({ admin }) => admin.owner),

  bySignature("a signature by an unknown merId", "wrong", ({ partner }) => ({ ...partner, merId: "NOBODY" })),
  bySignature("a signature with another's secret", "wrong", (keys) => ({ ...keys.partner, adapterSecret: keys.stranger.adapterSecret })),
  bySignature("a signature of a disabled partner", "wrong", ({ disabled }) => disabled),
  bySignature("a signature of a deleted partner", "wrong", ({ deleted }) => deleted),
  {
    who: "an expired signature",
    shows: { signature: "wrong" },
    saysWhy: true,
    headers: ({ partner }, request, host) => signed(partner, request, host, Date.now() - SIGNATURE_SKEW_MAX_MS - 60_000),
  },
  {
    who: "a signature of the future",
    shows: { signature: "wrong" },
    saysWhy: true,
    headers: ({ partner }, request, host) => signed(partner, request, host, Date.now() + SIGNATURE_SKEW_MAX_MS + 60_000),
  },
  {
    who: "a signature for another host",
    shows: { signature: "wrong" },
    saysWhy: true,
    headers: ({ partner }, request) => signed(partner, request, "other.example", Date.now()),
  },
  {
    who: "a signature over another path",
    shows: { signature: "wrong" },
    saysWhy: true,
    headers: ({ partner }, request, host) => signed(partner, { ...request, path: "/pgw/payment/other" }, host, Date.now()),
  },
  {
    who: "a signature over another body",
    shows: { signature: "wrong" },
    saysWhy: true,
    headers: ({ partner }, request, host) =>
      request.method === "POST"
        ? signed(partner, { ...request, body: Buffer.from("{}") }, host, Date.now())
        : signed(partner, { ...request, path: `${request.path}&other` }, host, Date.now()),
  },

  // Two at once: the one that the endpoint looks at counts.
  {
    who: "a made-up key beside the administrator's login",
    shows: { basic: "administrator", apiKey: "wrong" },
    headers: ({ administrator }) => ({
      authorization: basic(administrator.username, administrator.password),
      "api-key": "pk_live_nothing",
    }),
  },
  {
    who: "the partner's key beside a wrong login",
    shows: { basic: "wrong", apiKey: "partner" },
    headers: ({ partner }) => ({ authorization: basic(partner.username, GUESS), "api-key": partner.apiKey }),
  },
];

/** The demo partner: right in the sandbox, where it is known to everyone, and nobody elsewhere. */
const DEMO: readonly Caller[] = [
  byBasic("the sandbox's demo partner", "wrong", () => [DEMO_PARTNER.username, DEMO_PARTNER.password]),
  byKey("the sandbox's demo partner by key", "wrong", () => API_KEY),
  byBearer("the sandbox's demo partner by bearer key", "wrong", () => SANDBOX_PARTNER_API.apiKey),
  byBearer("the sandbox's shop by its secret key", "wrong", () => SANDBOX_MERCHANT.keys.secret),
  bySignature("the sandbox's demo partner by signature", "wrong", ({ partner }) => ({
    ...partner,
    merId: SANDBOX_ADAPTER_LOGIN.merchantId,
    adapterSecret: SANDBOX_ADAPTER_LOGIN.secret,
  })),
];

/** Everyone is asked everything; the rules say who is refused what. */
export function callersIn(mode: "sandbox" | "production"): readonly Caller[] {
  return [...RIGHT, ...WRONG, ...(mode === "sandbox" ? [] : DEMO)];
}

function byBasic(who: string, shown: Shown, login: (keys: Keys) => [username: string, password: string], more: Headers = {}): Caller {
  return { who, shows: { basic: shown }, headers: (keys) => ({ authorization: basic(...login(keys)), ...more }) };
}

function byKey(who: string, shown: Shown, key: (keys: Keys) => string, more: Headers = {}): Caller {
  return { who, shows: { apiKey: shown }, headers: (keys) => ({ "api-key": key(keys), ...more }) };
}

function byBearer(who: string, shown: Shown, key: (keys: Keys) => string, more: Headers = {}): Caller {
  return { who, shows: { bearer: shown }, headers: (keys) => ({ authorization: `Bearer ${key(keys)}`, ...more }) };
}

/** As the portal's own page sends it. */
function byCookie(who: string, shown: PortalShown, token: (keys: Keys) => string, more: Headers = {}): Caller {
  const page = { "sec-fetch-site": "same-origin", "x-relay-portal": "1" };
  return { who, shows: { cookie: shown }, headers: (keys) => ({ cookie: cookiesOf(token(keys)), ...page, ...more }) };
}

/** As the operators' page sends it. */
function byAdminCookie(who: string, shown: AdminShown, token: (keys: Keys) => string, more: Headers = {}): Caller {
  const page = { "sec-fetch-site": "same-origin", "x-relay-portal": "1" };
  return { who, shows: { adminCookie: shown }, headers: (keys) => ({ cookie: adminCookiesOf(token(keys)), ...page, ...more }) };
}

function bySignature(who: string, shown: Shown, signer: (keys: Keys) => PartnerKeys): Caller {
  return { who, shows: { signature: shown }, headers: (keys, request, host) => signed(signer(keys), request, host, Date.now()) };
}

function signed({ merId, adapterSecret }: PartnerKeys, request: ValidRequest, host: string, atMs: number): Headers {
  return signRequest({
    // No other method is signed; at such an endpoint the signature is a scheme that it does not know.
    method: request.method === "GET" ? "GET" : "POST",
    target: request.path,
    host,
    body: request.body ?? Buffer.alloc(0),
    keyId: merId,
    secret: adapterSecret,
    algorithm: "hmac-sha256",
    atMs,
    salt: randomUUID(),
  });
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
