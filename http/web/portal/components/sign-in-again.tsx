import { text } from "../i18n/texts.ts";
import type { Person } from "../state/door.ts";
import { returning, startOver } from "../state/returning.ts";
import { Dialog } from "./dialog.tsx";
import { LazyPage, type PageLoader } from "./lazy-page.tsx";

/**
 * Asks for sign-in over a page whose session has ended. The page stays as it is, and its calls go
 * on afterwards.
 */
export function SignInAgain({ steps, signInAddress }: { steps: PageLoader<{ person: Person }>; signInAddress: () => string }) {
  const { value: person } = returning;
  if (person === null) return null;
  const { app } = text();
  return (
    <Dialog title={app.signInAgain} hides unsaved={null}>
      <p class="lead" role="status">
        {app.sessionEnded} {app.workKept}
      </p>
      <LazyPage of={steps} props={{ person }} />
      <button type="button" class="text-button" onClick={() => startOver(signInAddress())}>
        {app.signInElsewhere}
      </button>
    </Dialog>
  );
}
