import { render } from "preact";
import { forgetEarly } from "../portal/api/early.ts";
import { StartFailed } from "../portal/components/start-failed.tsx";
import { likelyLocale } from "../portal/i18n/likely-locale.ts";
import { showLocale } from "../portal/i18n/texts.ts";
import { watchConnection } from "../portal/state/connection.ts";
import { watchLeaving } from "../portal/state/navigation.ts";
import { App } from "./app.tsx";
import "./i18n/texts.ts";
import { loadSession, session } from "./state/session.ts";

/** Shows the pages once it is known who is signed in: nothing is shown that would be taken away again. */
async function start(root: HTMLElement): Promise<void> {
  watchLeaving();
  watchConnection();
  const asked = loadSession().then(
    () => ({ failed: false }) as const,
    (error: unknown) => ({ failed: true, error }) as const,
  );
  await showLocale(likelyLocale());
  const answer = await asked;
  // The early answers are for the person who was signed in at the last load.
  if (session.value?.stage !== "full") forgetEarly();
  // The frame of the page gives way to the app in the same paint.
  root.replaceChildren();
  delete document.documentElement.dataset["frame"];
  render(answer.failed ? <StartFailed error={answer.error} /> : <App />, root);
}

const root = document.getElementById("portal");
if (root !== null) {
  start(root).catch(() => {
    // Not even a catalogue: there are no words but these.
    delete document.documentElement.dataset["frame"];
    root.textContent = "These pages could not be loaded. Load them again. — Impossibile caricare queste pagine. Ricaricale.";
  });
}
