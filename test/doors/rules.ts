import { type AdministratorRole, includesRole } from "../../engine/access/administrator-role.ts";
import { merchantRoleMay } from "../../engine/access/merchant-user-grant.ts";
import type { AuthRequirement, CallerNeeds, Endpoint } from "../../http/endpoint/endpoint.ts";
import { checksOwnPage, refusesForeignPages } from "../../http/endpoint/foreign-pages.ts";
import { machineRightOf } from "../../http/endpoint/machine-right.ts";
import {
  type AdminSessionAuth,
  isAdminSessionAuth,
  isPortalAuth,
  isSessionOptional,
  type PortalAuth,
  takesMerchantKey,
} from "../../http/endpoint/portal-auth.ts";

/**
 * What every endpoint answers to whom, decided by what it declares: `auth`, `needs`, the method, and whether it declares 404. No endpoint is
 * named here, so a new one is judged by its declaration, and one that no rule fits fails the test.
 */

/** An endpoint of any surface, without the operations that it uses. */
export type AnyEndpoint = Omit<Endpoint<unknown>, "handle" | "keepUnread">;

/** Whom a right credential belongs to. All requests are about the terminal, the link and the merchant of `partner`. */
export type Identity =
  | "administrator"
  /** An administrator who may not decide who else comes in. */
  | "operator"
  /** An administrator who may only look. */
  | "read-only"
  /** A machine token with all rights, and one that may only look. */
  | "machine"
  | "reading machine"
  | "fleet"
  | "terminal"
  /** A terminal that manages it by a group. */
  | "manager"
  | "other terminal"
  /** A partner whose rule names the terminal. */
  | "partner"
  /** A partner with every way in, whose rule names another terminal. */
  | "stranger"
  /** A partner whose key for Partner API v1 may only look. */
  | "viewer";

const ROLES: Partial<Record<Identity, AdministratorRole>> = { administrator: "owner", operator: "operator", "read-only": "read-only" };

/**
 * A merchant of the partner by its secret key, one of another partner, the first by its publishable key, and a page of another origin that made a browser send
 * its secret key as a login.
 */
export type MerchantShown = "merchant" | "other merchant" | "publishable" | "merchant's foreign page";

/** An AI agent of the merchant by its token, the same from an address that its credential is not for, and a page of another origin that has its token. */
export type AgentShown = "agent" | "agent from elsewhere" | "agent's foreign page";

/**
 * `wrong`: a credential that opens nothing. `from elsewhere`: a right one, from an origin or address that it is not for. `foreign page`: the
 * administrator's login, which a browser attaches to a request of a page of another origin.
 */
export type Shown = Identity | MerchantShown | AgentShown | "wrong" | "from elsewhere" | "foreign page";

/**
 * Whose session of the portal a cookie is of, sent as the portal's own page sends it: an owner and a viewer of the partner's merchant, an owner of another one's,
 * the first owner before the second factor, and a page of another site that has a browser send the first owner's. Owners have just shown a second factor again.
 */
export type PortalShown = "owner" | "viewer" | "other owner" | "owner without factor" | "owner's foreign page" | "wrong";

/**
 * Whose session of the operators' pages a cookie is of, sent as the relay's own page sends it: an owner and an administrator who may only look, that owner's login
 * before the second factor, and a page of another site that has a browser send the owner's. The owner has just shown a second factor again, the other one has not.
 */
export type AdminShown = "owner" | "read-only" | "owner without factor" | "owner's foreign page" | "wrong";

/** What a caller shows at each kind of door; what is absent it does not show. */
export interface Credentials {
  basic?: Shown;
  apiKey?: Shown;
  bearer?: Shown;
  signature?: Shown;
  cookie?: PortalShown;
  adminCookie?: AdminShown;
}

export const STATUS = { unauthorized: 401, forbidden: 403 } as const;

/** `unknown`: the same response as for something that does not exist. */
export type Outcome = "admitted" | keyof typeof STATUS | "unknown";

const BY_NEEDS: Readonly<Record<CallerNeeds, Readonly<Record<Identity, Outcome>>>> = {
  send: { ...everyone("forbidden"), ...as("admitted", "administrator", "operator", "machine", "fleet", "terminal", "partner") },
  know: {
    ...everyone("forbidden"),
    ...as("admitted", "administrator", "operator", "read-only", "machine", "reading machine", "fleet", "terminal", "partner"),
  },
  act: { ...everyone("forbidden"), ...as("admitted", "fleet", "terminal", "manager") },
  "act or administrate": {
    ...everyone("forbidden"),
    ...as("admitted", "administrator", "operator", "machine", "fleet", "terminal", "manager"),
  },
  "act or look": {
    ...everyone("forbidden"),
    ...as("admitted", "administrator", "operator", "read-only", "machine", "reading machine", "fleet", "terminal", "manager"),
  },
  see: {
    ...everyone("unknown"),
    ...as("admitted", "administrator", "operator", "read-only", "machine", "reading machine", "fleet", "terminal", "partner"),
  },
  "see and send": {
    ...everyone("unknown"),
    ...as("admitted", "administrator", "operator", "machine", "fleet", "terminal", "partner"),
    ...as("forbidden", "read-only", "reading machine"),
  },
  // A stranger's own account is its own.
  "own account": { ...everyone("forbidden"), ...as("admitted", "partner", "stranger", "viewer") },
};

function everyone(outcome: Outcome): Record<Identity, Outcome> {
  return {
    administrator: outcome,
    operator: outcome,
    "read-only": outcome,
    machine: outcome,
    "reading machine": outcome,
    fleet: outcome,
    terminal: outcome,
    manager: outcome,
    "other terminal": outcome,
    partner: outcome,
    stranger: outcome,
    viewer: outcome,
  };
}

function as(outcome: Outcome, ...identities: Identity[]): Partial<Record<Identity, Outcome>> {
  return Object.fromEntries(identities.map((identity) => [identity, outcome]));
}

/** What answers without a credential. Anything else that does fails the test: it was left open by mistake, or its reason is missing here. */
export const OPEN: { readonly [endpoint: string]: string } = {
  pingTerminal: "terminals and partners try with it whether the service answers",
  pingPos: "the same, at the path of terminal apps",
  appendTerminalLog: "only with RELAY_OPEN_TERMINAL_LOGS, as in the sandbox",
  readTerminalLogs: "only with RELAY_OPEN_TERMINAL_LOGS, as in the sandbox",
  clearTerminalLogs: "only with RELAY_OPEN_TERMINAL_LOGS, as in the sandbox",
  gatewayNotification: "the card gateway has no credential; the relay asks it for the state and believes nothing of the notification",
  checkAppVersion: "terminals in the field ask without a login",
  downloadAppPackage: "the same; a package holds no secret",
  recordInstall: "terminals in the field report without a login",
  live: "load balancers have no credential",
  ready: "load balancers have no credential",
  metrics: "in the sandbox; in production it asks for RELAY_METRICS_TOKEN by itself (test/scenario/relay/operation.ts)",
  openApiDocument: "it is public",
  partnerOpenApiDocument: "it is public",
  terminalOpenApiDocument: "it is public",
  merchantOpenApiDocument: "it is public",
  compatibleOpenApiDocument: "it is public",
  administrationOpenApiDocument: "it is public",
  asyncApiDocument: "it is public",
  docsPage: "it is public",
  docsAsset: "it is public",
  script: "pages of shops load it, and it is public",
  scriptVersion: "the same",
  scriptManifest: "the same",
  payPage: "a buyer has no credential; the token in the address names one payment and cannot be guessed",
  returnPage: "the same",
  returnState: "the same",
  returnScript: "it is public",
  linkPage: "whoever pays a link has no credential; the token in the address names one link and cannot be guessed",
  payLink: "the same",
  linkReturn: "the same",
  linkReturnState: "the same",
  shopLogo: "it is public",
  subscriptionPage:
    "the customer of a subscription has no credential; the token in the address names one subscription and cannot be guessed",
  subscriptionCancelPage: "the same",
  paySubscription: "the same",
  cancelOwnSubscription: "the same",
  portalShowInvitation: "who is invited has no account yet; the token in the address is the credential, and cannot be guessed",
  portalForgotPassword: "who has forgotten the password has no session; the answer says nothing of the account",
  portalResetPassword: "the same; the token of the mail is the credential",
  showPortalSession: "the portal's page asks whether anybody is signed in",
  showAdminSession: "the operators' page asks the same",
  portalPage: "it is public, and has nothing of any merchant in it",
  portalPageOf: "the same",
  portalPageOfObject: "the same",
  portalAsset: "it is public",
  operatorsPage: "it is public, and has nothing of the installation in it",
  operatorsPageOf: "the same",
  operatorsPageOfObject: "the same",
  operatorsAsset: "it is public",
  root: "it is public",
  sandboxStart: "in the sandbox only; it shows logins that everyone knows",
  demoCheckout: "in the sandbox only",
  demoReturn: "the same",
  demoScan: "the same; it shows the sandbox's API key, which everyone knows",
  demoIntent: "in the sandbox only: whoever likes may order in the demo shop",
  demoStyle: "it is public",
  demoCheckoutScript: "it is public",
  demoReturnScript: "it is public",
  demoScanScript: "it is public",
};

/**
 * Whether nobody needs a credential; at some such endpoints a login that is sent counts. What signs in is closed to everything but the portal's own page.
 */
export function isOpen({ auth, method }: Pick<AnyEndpoint, "auth" | "method">): boolean {
  return auth === "none" || auth === "optionalBasic" || (isSessionOptional(auth) && method === "GET");
}

/** Below these paths everything has one kind of authentication. */
const PLACES: readonly [under: string, auths: readonly AuthRequirement[], needs?: CallerNeeds][] = [
  // The pages themselves: what they show comes from the interface beside them.
  ["/admin/ui/", ["none"]],
  ["/admin/", ["admin", "optionalAdminSession", "adminSession", "fullAdminSession"]],
  ["/api/partner/", ["basic"], "own account"],
  ["/partner/api/v1/", ["partnerApi"]],
  ["/pgw/", ["signature"]],
  // Where a key may be left out, the handler looks for the one of a page.
  ["/v1/", ["merchantKey", "optionalMerchantKey"]],
  ["/mcp", ["agent"]],
  // Invitations and resets of passwords have a token of their own.
  ["/api/merchant/", ["merchantUser", "merchantUserOrKey", "merchantUserOrAnyKey", "portalSession", "optionalPortalSession", "none"]],
];

/** What only merchants open. */
const OF_MERCHANTS: ReadonlySet<AuthRequirement> = new Set(["merchantKey", "optionalMerchantKey"]);

/** Why no rule says what the endpoint answers; null if one does. */
export function missingRule({ name, path, method, auth, needs }: AnyEndpoint): string | null {
  if (isOpen({ auth, method }) && OPEN[name] === undefined) return "is open to everyone: OPEN has no reason for it";
  const place = PLACES.find(([under]) => path.startsWith(under));
  if (place !== undefined && (!place[1].includes(auth) || needs !== place[2])) return `has auth ${auth} below ${place[0]}`;
  if (OF_MERCHANTS.has(auth) && place?.[0] !== "/v1/") return `has auth ${auth} where merchants do not call`;
  if (auth === "agent" && place?.[0] !== "/mcp") return `has auth ${auth} where agents do not call`;
  if (isPortalAuth(auth) && place?.[0] !== "/api/merchant/") return `has auth ${auth} where the portal does not call`;
  if (isAdminSessionAuth(auth) && place?.[0] !== "/admin/") return `has auth ${auth} where administrators do not call`;
  const severalKinds = auth === "basic" || auth === "basicOrApiKey";
  if (severalKinds && needs === undefined) return `auth ${auth} lets several kinds of callers in: declare what they need (\`needs\`)`;
  if (!severalKinds && needs !== undefined) return `\`needs\` says nothing with auth ${auth}`;
  return null;
}

/**
 * In production a password alone is not enough where a session has to step up: an owner of the
 * world has a second factor.
 */
export function outcomeOf(endpoint: AnyEndpoint, shown: Credentials, mode: "sandbox" | "production" = "sandbox"): Outcome {
  if (isOpen(endpoint)) return "admitted";
  if (isPortalAuth(endpoint.auth)) return byPortal(endpoint, endpoint.auth, shown);
  if (isAdminSessionAuth(endpoint.auth)) return byAdminSession(endpoint, endpoint.auth, shown);
  if (endpoint.auth === "agent") return byAgent(endpoint, shown);
  if (endpoint.auth === "admin" && shown.adminCookie !== undefined) return byAdminCookie(endpoint, shown.adminCookie);
  const credential = credentialAt(endpoint, shown);
  if (credential === undefined || credential === "wrong") return "unauthorized";
  if (isOfMerchant(credential)) return byMerchant(endpoint, credential);
  if (endpoint.auth === "admin" && endpoint.stepUp === true && mode === "production") return "forbidden";
  if (credential === "foreign page") return refusesForeignPages(endpoint) ? "forbidden" : byIdentity(endpoint, "administrator");
  return credential === "from elsewhere" ? "forbidden" : byIdentity(endpoint, credential);
}

const ADMINISTRATORS: ReadonlySet<Shown | undefined> = new Set([
  ...["administrator", "operator", "read-only", "machine", "reading machine", "foreign page"],
] as const);

export function isOfMerchant(shown: Shown | undefined): shown is MerchantShown {
  return shown === "merchant" || shown === "other merchant" || shown === "publishable" || shown === "merchant's foreign page";
}

export function isOfAgent(shown: Shown | undefined): shown is AgentShown {
  return shown === "agent" || shown === "agent from elsewhere" || shown === "agent's foreign page";
}

/** Whose data it is about says the token alone, so it names nothing of others. */
function byAgent(endpoint: AnyEndpoint, { bearer }: Credentials): Outcome {
  if (!isOfAgent(bearer)) return "unauthorized";
  switch (bearer) {
    case "agent":
      return "admitted";
    case "agent from elsewhere":
      return "forbidden";
    case "agent's foreign page":
      return refusesForeignPages(endpoint) ? "forbidden" : "admitted";
  }
}

/** Whether a request is about something that one merchant has and others have not. Services are words that all have in common. */
function namesOwn({ path, responses }: AnyEndpoint): boolean {
  return responses[404] !== undefined && !/^[^{]*\{service\}[^{]*$/.test(path);
}

/** Where a publishable key opens something. SECURITY.md names these endpoints. */
export const TAKES_PUBLISHABLE: ReadonlySet<AuthRequirement> = new Set(["optionalMerchantKey", "merchantUserOrAnyKey"]);

function byMerchant(endpoint: AnyEndpoint, shown: MerchantShown): Outcome {
  switch (shown) {
    case "merchant":
      return "admitted";
    case "other merchant":
      return namesOwn(endpoint) ? "unknown" : "admitted";
    case "publishable":
      return TAKES_PUBLISHABLE.has(endpoint.auth) ? "admitted" : "forbidden";
    case "merchant's foreign page":
      return refusesForeignPages(endpoint) ? "forbidden" : "admitted";
  }
}

/** A page of another site is refused for being one, whatever cookie it has the browser send. */
function isForeignPage({ cookie, adminCookie }: Credentials): boolean {
  return (cookie ?? adminCookie) === "owner's foreign page";
}

/** A page of the relay itself sends its cookies, whichever session they are of. */
function isOwnPage({ cookie, adminCookie }: Credentials): boolean {
  const shown = cookie ?? adminCookie;
  return shown !== undefined && shown !== "owner's foreign page";
}

function byPortal(endpoint: AnyEndpoint, auth: PortalAuth, shown: Credentials): Outcome {
  const { cookie, bearer } = shown;
  if (takesMerchantKey(auth) && bearer !== undefined) return isOfMerchant(bearer) ? byMerchant(endpoint, bearer) : "unauthorized";
  const isFromElsewhere = isForeignPage(shown) || (auth === "optionalPortalSession" && !isOwnPage(shown));
  if (checksOwnPage(endpoint) && isFromElsewhere) return "forbidden";
  if (auth === "optionalPortalSession") return "admitted";
  if (cookie === undefined) return "unauthorized";
  switch (cookie) {
    case "wrong":
      return "unauthorized";
    case "owner without factor":
      if (auth !== "portalSession") return "unauthorized";
      return endpoint.stepUp === true ? "forbidden" : "admitted";
    case "viewer":
      return endpoint.stepUp === true || (endpoint.may !== undefined && !merchantRoleMay("VIEWER", endpoint.may))
        ? "forbidden"
        : "admitted";
    case "owner":
    case "owner's foreign page":
      return "admitted";
    case "other owner":
      return namesOwn(endpoint) ? "unknown" : "admitted";
  }
}

/** What opens with a session only. */
function byAdminSession(endpoint: AnyEndpoint, auth: AdminSessionAuth, shown: Credentials): Outcome {
  const { adminCookie: cookie } = shown;
  const isFromElsewhere = isForeignPage(shown) || (auth === "optionalAdminSession" && !isOwnPage(shown));
  if (checksOwnPage(endpoint) && isFromElsewhere) return "forbidden";
  if (auth === "optionalAdminSession") return "admitted";
  if (cookie === undefined || cookie === "wrong") return "unauthorized";
  if (cookie === "owner without factor" && auth === "fullAdminSession") return "unauthorized";
  return endpoint.stepUp === true && cookie !== "owner" && cookie !== "owner's foreign page" ? "forbidden" : "admitted";
}

/** What a login opens, a full session opens too. */
function byAdminCookie(endpoint: AnyEndpoint, cookie: AdminShown): Outcome {
  if (cookie === "owner's foreign page") return checksOwnPage(endpoint) || refusesForeignPages(endpoint) ? "forbidden" : "admitted";
  if (cookie === "wrong" || cookie === "owner without factor") return "unauthorized";
  if (cookie === "read-only" && endpoint.stepUp === true) return "forbidden";
  return byIdentity(endpoint, cookie === "owner" ? "administrator" : "read-only");
}

/** The one credential that the endpoint looks at. A merchant's key is one for merchants' endpoints alone, and nothing else is one there; an agent's token is one for agents alone. */
function credentialAt(endpoint: AnyEndpoint, credentials: Credentials): Exclude<Shown, AgentShown> | undefined {
  const shown = lookedAt(endpoint, credentials);
  if (isOfAgent(shown)) return "wrong";
  return shown === undefined || isOfMerchant(shown) === OF_MERCHANTS.has(endpoint.auth) ? shown : "wrong";
}

function lookedAt({ auth }: AnyEndpoint, { basic, apiKey, bearer, signature }: Credentials): Shown | undefined {
  switch (auth) {
    case "none":
    case "optionalBasic":
      return undefined;
    case "basic":
      return basic;
    case "admin":
      return ADMINISTRATORS.has(basic) ? basic : "wrong";
    case "apiKey":
      return apiKey;
    case "basicOrApiKey":
      return apiKey ?? basic;
    case "partnerApi":
      return bearer;
    case "signature":
      return signature;
    case "merchantKey":
    case "optionalMerchantKey":
      return bearer ?? basic;
    case "optionalPortalSession":
    case "portalSession":
    case "merchantUser":
    case "merchantUserOrKey":
    case "merchantUserOrAnyKey":
    case "optionalAdminSession":
    case "adminSession":
    case "fullAdminSession":
    case "agent":
      // `byPortal`, `byAdminSession` and `byAgent` judge them.
      return undefined;
  }
}

function byIdentity(endpoint: AnyEndpoint, identity: Identity): Outcome {
  const { auth, role, needs, method, responses } = endpoint;
  if (needs !== undefined) return BY_NEEDS[needs][identity];
  switch (auth) {
    case "admin":
      if (identity === "machine" || identity === "reading machine") return byMachine(endpoint, identity);
      return includesRole(ROLES[identity] ?? "read-only", role ?? "owner") ? "admitted" : "forbidden";
    case "signature":
      // It signs with its own key what names the other's merId.
      return identity === "partner" ? "admitted" : "unauthorized";
    case "partnerApi":
      if (identity === "viewer" && method !== "GET") return "forbidden";
      break;
    default:
  }
  // What declares 404 asks for something that belongs to a partner.
  return identity === "partner" || responses[404] === undefined ? "admitted" : "unknown";
}

function byMachine(endpoint: AnyEndpoint, identity: "machine" | "reading machine"): Outcome {
  const right = machineRightOf(endpoint);
  return right === "read" || (right !== null && identity === "machine") ? "admitted" : "forbidden";
}
