import { hasCode } from "../../api/errors.ts";
import { errorText } from "../../i18n/error-text.ts";
import { toast } from "../../state/toasts.ts";

/** Whether a dispute is not to be answered any more, whatever was to be done with it. */
export function isClosed(error: unknown): boolean {
  return hasCode(error, "not_open") || hasCode(error, "deadline_passed");
}

/** Says why where it is still read when what was open goes with the form, and shows how the dispute stands. */
export function closed(error: unknown, reload: () => void): void {
  toast(errorText(error), "failed");
  reload();
}
