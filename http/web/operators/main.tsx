import { render } from "preact";
import { StartFailed } from "../portal/components/start-failed.tsx";
import { likelyLocale, showLocale } from "../portal/i18n/texts.ts";
import { watchConnection } from "../portal/state/connection.ts";
import { watchLeaving } from "../portal/state/navigation.ts";
import { App } from "./app.tsx";
import "./i18n/texts.ts";
import { preloadFor } from "./pages/registry.ts";
import { loadSession } from "./state/session.ts";

/** Shows the pages once it is known who is signed in: nothing is shown that would be taken away again. */
async function start(root: HTMLElement): Promise<void> {
  watchLeaving();
  watchConnection();
  preloadFor(location.pathname);
  const asked = loadSession().then(
    () => ({ failed: false }) as const,
    (error: unknown) => ({ failed: true, error }) as const,
  );
  await showLocale(likelyLocale());
  const answer = await asked;
  render(answer.failed ? <StartFailed error={answer.error} /> : <App />, root);
}

const root = document.getElementById("portal");
if (root !== null) {
  start(root).catch(() => {
    // Not even a catalogue: there are no words but these.
    root.textContent = "These pages could not be loaded. Load them again. — Impossibile caricare queste pagine. Ricaricale.";
  });
}
