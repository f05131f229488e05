import { PortalError } from "../api/errors.ts";
import { text } from "./texts.ts";

/**
 * Returns the catalogue's text for the error code. If the page has no text for the code, it returns
 * the relay's message.
 */
export function errorText(error: unknown): string {
  const { errors } = text();
  if (!(error instanceof PortalError)) return errors.unknown;
  if (error.code === "invalid_request" && error.message !== "") return error.message;
  const known: Readonly<Record<string, string>> = errors;
  return known[error.code] ?? (error.message === "" ? errors.unknown : error.message);
}
