import { API_VERSION } from "../../../engine/webhooks/api-versions.ts";
import { VERSION_HEADER, WIRE_NAMES } from "../../compat/wire-names.ts";
import { invalidParam } from "./platform-error.ts";

/** `2026-10-28.endive; feature=v1`: what follows the semicolon switches previews of the platform on, of which there are none here. */
const WITH_FEATURES = /^([^;\s]+)(?:\s*;\s*[\w-]+=v\d+)*\s*$/;

export const VERSION_LENGTH_MAX = 255;

/** The same for the interface's document; an empty header names none. */
export const VERSION_PATTERN = String.raw`^(?:\d{4}-\d{2}-\d{2}(?:\.[a-z]{1,32})?(?:\s*;\s*[\w-]+=v\d+)*\s*)?$`;

export const VERSION_REFUSED = "must be a date such as 2026-10-28.endive.";

export function isApiVersion(text: string): boolean {
  return API_VERSION.test(text);
}

/** The version in a header, without what follows it; null where it is malformed. */
export function versionIn(header: string): string | null {
  const version = WITH_FEATURES.exec(header.slice(0, VERSION_LENGTH_MAX))?.[1];
  return version !== undefined && isApiVersion(version) ? version : null;
}

/** Both headers with the effective version. */
export function versionHeaders(version: string): { readonly [name: string]: string } {
  return { [WIRE_NAMES.version]: version, [VERSION_HEADER]: version };
}

/** The version that a request names; null where it names none. Throws PlatformError where it is malformed, or the two headers differ. */
export function requestedVersion(given: readonly (string | undefined)[]): string | null {
  const versions = given.filter((one) => one !== undefined && one !== "").map((one) => versionIn(one ?? ""));
  if (versions.includes(null)) throw invalidParam(WIRE_NAMES.version, `Invalid ${WIRE_NAMES.version}: ${VERSION_REFUSED}`);
  const [version = null, other = version] = versions;
  if (version !== other) throw invalidParam(WIRE_NAMES.version, `${WIRE_NAMES.version} and ${VERSION_HEADER} name different versions.`);
  return version;
}
