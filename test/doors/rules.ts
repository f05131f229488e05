import type { AuthRequirement, CallerNeeds, Endpoint } from "../../http/endpoint/endpoint.ts";

/**
 * What every endpoint answers to whom, decided by what it declares: `auth`, `needs`, the method, and whether it declares 404. No endpoint is
 * named here, so a new one is judged by its declaration, and one that no rule fits fails the test.
 */

/** An endpoint of any surface, without the operations that it uses. */
export type AnyEndpoint = Omit<Endpoint<unknown>, "handle" | "keepUnread">;

/** Whom a right credential belongs to. All requests are about the terminal, the link and the merchant of `partner`. */
export type Identity =
  | "administrator"
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

/** `wrong`: a credential that opens nothing. `from elsewhere`: a right one, from an origin or address that it is not for. */
export type Shown = Identity | "wrong" | "from elsewhere";

/** What a caller shows at each kind of door; what is absent it does not show. */
export interface Credentials {
  basic?: Shown;
  apiKey?: Shown;
  bearer?: Shown;
  signature?: Shown;
}

export const STATUS = { unauthorized: 401, forbidden: 403 } as const;

/** `unknown`: the same response as for something that does not exist. */
export type Outcome = "admitted" | keyof typeof STATUS | "unknown";

const BY_NEEDS: Readonly<Record<CallerNeeds, Readonly<Record<Identity, Outcome>>>> = {
  send: {
    administrator: "admitted",
    fleet: "admitted",
    terminal: "admitted",
    manager: "forbidden",
    "other terminal": "forbidden",
    partner: "admitted",
    stranger: "forbidden",
    viewer: "forbidden",
  },
  act: {
    administrator: "forbidden",
    fleet: "admitted",
    terminal: "admitted",
    manager: "admitted",
    "other terminal": "forbidden",
    partner: "forbidden",
    stranger: "forbidden",
    viewer: "forbidden",
  },
  "act or administrate": {
    administrator: "admitted",
    fleet: "admitted",
    terminal: "admitted",
    manager: "admitted",
    "other terminal": "forbidden",
    partner: "forbidden",
    stranger: "forbidden",
    viewer: "forbidden",
  },
  see: {
    administrator: "admitted",
    fleet: "admitted",
    terminal: "admitted",
    manager: "unknown",
    "other terminal": "unknown",
    partner: "admitted",
    stranger: "unknown",
    viewer: "unknown",
  },
  // A stranger's own account is its own.
  "own account": {
    administrator: "forbidden",
    fleet: "forbidden",
    terminal: "forbidden",
    manager: "forbidden",
    "other terminal": "forbidden",
    partner: "admitted",
    stranger: "admitted",
    viewer: "admitted",
  },
};

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
  metrics: "names no terminal, partner or address",
  openApiDocument: "it is public",
  docsPage: "it is public",
  docsScript: "it is public",
  docsStyle: "it is public",
};

/** Below these paths everything has one kind of authentication. */
const PLACES: readonly [under: string, auth: AuthRequirement, needs?: CallerNeeds][] = [
  ["/admin/", "admin"],
  ["/api/partner/", "basic", "own account"],
  ["/partner/api/v1/", "partnerApi"],
  ["/pgw/", "signature"],
];

/** Why no rule says what the endpoint answers; null if one does. */
export function missingRule({ name, path, auth, needs }: AnyEndpoint): string | null {
  if (auth === "none" && OPEN[name] === undefined) return "is open to everyone: OPEN has no reason for it";
  const place = PLACES.find(([under]) => path.startsWith(under));
  if (place !== undefined && (auth !== place[1] || needs !== place[2])) return `has auth ${auth} below ${place[0]}`;
  const severalKinds = auth === "basic" || auth === "basicOrApiKey";
  if (severalKinds && needs === undefined) return `auth ${auth} lets several kinds of callers in: declare what they need (\`needs\`)`;
  if (!severalKinds && needs !== undefined) return `\`needs\` says nothing with auth ${auth}`;
  return null;
}

export function outcomeOf(endpoint: AnyEndpoint, shown: Credentials): Outcome {
  if (endpoint.auth === "none") return "admitted";
  const credential = credentialAt(endpoint, shown);
  if (credential === undefined || credential === "wrong") return "unauthorized";
  return credential === "from elsewhere" ? "forbidden" : byIdentity(endpoint, credential);
}

/** The one credential that the endpoint looks at. */
function credentialAt({ auth }: AnyEndpoint, { basic, apiKey, bearer, signature }: Credentials): Shown | undefined {
  switch (auth) {
    case "none":
      return undefined;
    case "basic":
      return basic;
    case "admin":
      return basic === "administrator" ? basic : "wrong";
    case "apiKey":
      return apiKey;
    case "basicOrApiKey":
      return apiKey ?? basic;
    case "partnerApi":
      return bearer;
    case "signature":
      return signature;
  }
}

function byIdentity({ auth, needs, method, responses }: AnyEndpoint, identity: Identity): Outcome {
  if (needs !== undefined) return BY_NEEDS[needs][identity];
  switch (auth) {
    case "admin":
      return "admitted";
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
