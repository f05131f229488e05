import { hashOf } from "../kernel/hash.ts";

/** A way from cash registers to a terminal. Own port, then the narrowest network, then the password of 06-00 select it. */
export interface ZvtRouteConfig {
  readonly id: string;
  readonly terminalId: string;
  /** The caller of each payment, resolved at each. */
  readonly partnerUsername: string;
  readonly service: ZvtService;
  /** Null: the listener's. */
  readonly port: number | null;
  /** Networks (CIDR); empty: every address. */
  readonly clients: readonly string[];
  /** Six digits, sealed at `zvtPasswordPlace`; null: none. It selects, and secures nothing; it is sealed so that no copy of the store shows it. */
  readonly sealedPassword: string | null;
  /** Eight digits for bitmap 29; null: out of the terminal's id. */
  readonly tid: string | null;
}

/** Payments of a register are charges: no check of a card without one. */
export const ZVT_SERVICES = ["PAYCC", "PAYTAG", "PAYBP", "PAYSAT"] as const;
export type ZvtService = (typeof ZVT_SERVICES)[number];

/** `mutual`: registers have to show a certificate. */
export const ZVT_TLS_WORDS = ["off", "on", "mutual"] as const;
export type ZvtTlsWord = (typeof ZVT_TLS_WORDS)[number];

export type ZvtLoggingLevel = "DEBUG" | "INFO" | "WARN" | "ERROR";

/** Configuration of the ZVT listener (`/admin/zvt/config`); a restart applies it. */
export interface ZvtConfig {
  readonly enabled: boolean;
  readonly port: number;
  /** From accepting 06-01 until the relay asks for cancel. */
  readonly timeoutSeconds: number;
  /** Of a node. */
  readonly maxConnections: number;
  readonly loggingLevel: ZvtLoggingLevel;
  readonly logRawBytes: boolean;
  readonly routes: readonly ZvtRouteConfig[];
  readonly bindHost: string;
  /** Networks (CIDR) that may connect; empty: all. */
  readonly allowedClients: readonly string[];
  readonly tls: ZvtTlsWord;
  /** How long after a result, or the end of the connection, the same amount again is the same sale. */
  readonly reattachSeconds: number;
  /** How long after the end of the connection a payment is cancelled. */
  readonly disconnectGraceSeconds: number;
}

/** A record of before there were routes has the first six members only. */
export type StoredZvtConfig = Pick<ZvtConfig, "enabled" | "port" | "timeoutSeconds" | "maxConnections" | "loggingLevel" | "logRawBytes"> &
  Partial<ZvtConfig> & { readonly schema: 1; readonly updatedAtMs: number };

export const ZVT_DEFAULT: ZvtConfig = {
  enabled: false,
  port: 40_007,
  timeoutSeconds: 120,
  maxConnections: 10,
  loggingLevel: "INFO",
  logRawBytes: false,
  routes: [],
  bindHost: "127.0.0.1",
  allowedClients: [],
  tls: "off",
  reattachSeconds: 60,
  disconnectGraceSeconds: 10,
};

/** The one key in its table. */
export const ZVT_KEY = "zvt";

/** Each has a record that is looked at every few seconds. */
export const ZVT_ROUTES_MAX = 256;

/** Networks of one route, and of the listener. */
export const ZVT_NETWORKS_MAX = 64;

/** What is stored, with the defaults for what it lacks. */
export function zvtConfigOf(stored: StoredZvtConfig | undefined): ZvtConfig {
  if (stored === undefined) return ZVT_DEFAULT;
  const { schema: _, updatedAtMs: __, ...config } = stored;
  return { ...ZVT_DEFAULT, ...config };
}

/** Where a route's password is sealed. */
export function zvtPasswordPlace(routeId: string): string {
  return `zvt-route/${routeId}/password`;
}

const TID_RANGE = 100_000_000;

/** The terminal's number in bitmap 29: as configured, else eight digits that are always the same for a terminal. */
export function tidOf({ tid, terminalId }: Pick<ZvtRouteConfig, "tid" | "terminalId">): string {
  return tid ?? String(hashOf(terminalId) % TID_RANGE).padStart(8, "0");
}
