import { text } from "../i18n/texts.ts";
import type { Person } from "../state/door.ts";
import type { AppName } from "../state/frame-hint.ts";
import { returning, startOver } from "../state/returning.ts";
import { Dialog } from "./dialog.tsx";
import { LazyPage, type PageLoader } from "./lazy-page.tsx";

/**
 * Asks for sign-in over a page whose session has ended. The page stays as it is, and its calls go
 * on afterwards.
 */
export function SignInAgain({
  app,
  steps,
  signInAddress,
}: {
  app: AppName;
  steps: PageLoader<{ person: Person }>;
  signInAddress: () => string;
}) {
  const { value: person } = returning;
  if (person === null) return null;
  const { app: words } = text();
  return (
    <Dialog title={words.signInAgain} hides unsaved={null}>
      <p class="lead" role="status">
        {words.sessionEnded} {words.workKept}
      </p>
      <LazyPage of={steps} props={{ person }} />
      <button type="button" class="text-button" onClick={() => startOver(app, signInAddress())}>
        {words.signInElsewhere}
      </button>
    </Dialog>
  );
}
