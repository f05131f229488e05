import { render } from "preact";
import { App } from "./app.tsx";
import { StartFailed } from "./components/start-failed.tsx";
import { likelyLocale, showLocale, speakFrom } from "./i18n/texts.ts";
import { preloadFor } from "./pages/preload.ts";
import { watchConnection } from "./state/connection.ts";
import { watchLeaving } from "./state/navigation.ts";
import { loadSession } from "./state/session.ts";

/** Shows the portal when the session is known, so that nothing has to be removed again. */
async function start(root: HTMLElement): Promise<void> {
  watchLeaving();
  watchConnection();
  preloadFor(location.pathname);
  // Both load at the same time. The session may then require the other language.
  const asked = loadSession().then(
    () => ({ failed: false }) as const,
    (error: unknown) => ({ failed: true, error }) as const,
  );
  await showLocale(likelyLocale());
  const answer = await asked;
  render(answer.failed ? <StartFailed error={answer.error} /> : <App />, root);
}

speakFrom({
  en: async () => (await import("./i18n/en.ts")).en,
  it: async () => (await import("./i18n/it.ts")).it,
});

const root = document.getElementById("portal");
if (root !== null) {
  start(root).catch(() => {
    // Not even a catalogue could be loaded, so this text cannot be translated.
    root.textContent = "The portal could not be loaded. Load the page again. — Impossibile caricare il portale. Ricarica la pagina.";
  });
}
