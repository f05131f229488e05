import { matchesSha256, sha256Hex } from "../../../http/auth/digest.ts";
import type { Config } from "./config.ts";

const BEARER = /^bearer +(\S{1,512})$/i;

/** Whether an `Authorization` header (empty if there is none) permits reading the metrics. */
export type MetricsAccess = (authorization: string) => boolean;

/** With the token of the configuration; without one `openly` decides. */
function accessWith(token: string | null, openly: boolean): MetricsAccess {
  if (token === null) return () => openly;
  const expected = sha256Hex(token);
  return (authorization) => {
    const [, given] = BEARER.exec(authorization) ?? [];
    return given !== undefined && matchesSha256(given, expected);
  };
}

/** At the public listener: in production nobody reads them without the token. */
export function publicMetricsAccess({ mode, metrics }: Pick<Config, "mode" | "metrics">): MetricsAccess {
  return accessWith(metrics.token, mode === "sandbox");
}

/** At the metrics' own listener (`RELAY_METRICS_PORT`): whoever reaches it, unless there is a token. */
export function ownMetricsAccess({ metrics }: Pick<Config, "metrics">): MetricsAccess {
  return accessWith(metrics.token, true);
}
