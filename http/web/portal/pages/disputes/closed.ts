import { hasCode } from "../../api/errors.ts";
import { errorText } from "../../i18n/error-text.ts";
import { toast } from "../../state/toasts.ts";

/** Returns true if the error means that the dispute can no longer be answered. */
export function isClosed(error: unknown): boolean {
  return hasCode(error, "not_open") || hasCode(error, "deadline_passed");
}

/** Shows the reason in a toast, which stays when the form closes, and loads the dispute again. */
export function closed(error: unknown, reload: () => void): void {
  toast(errorText(error), "failed");
  reload();
}
