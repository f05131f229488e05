import { PortalError } from "../api/errors.ts";
import { text } from "./texts.ts";

/** What went wrong, for the person: the catalogue's words for the code. What the page has no words for is told in the relay's own. */
export function errorText(error: unknown): string {
  const { errors } = text();
  if (!(error instanceof PortalError)) return errors.unknown;
  if (error.code === "invalid_request" && error.message !== "") return error.message;
  const known: Readonly<Record<string, string>> = errors;
  return known[error.code] ?? (error.message === "" ? errors.unknown : error.message);
}
