import { isPassing } from "../api/errors.ts";
import { errorText } from "../i18n/error-text.ts";
import { text } from "../i18n/texts.ts";
import { Button } from "./button.tsx";
import { EmptyState } from "./empty-state.tsx";

/** Says that the session could not be loaded. */
export function StartFailed({ error }: { error: unknown }) {
  const { app, errors } = text();
  return (
    <main class="center-page">
      <h1 class="visually-hidden">{app.name}</h1>
      <EmptyState
        icon="warning"
        title={isPassing(error) ? errors.panelTitle : errors.failedTitle}
        action={
          <Button kind="primary" icon="refresh" onClick={() => location.reload()}>
            {app.retry}
          </Button>
        }
      >
        {errorText(error)}
      </EmptyState>
    </main>
  );
}
