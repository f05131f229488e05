import { render } from "preact";
import { App } from "./app.tsx";
import { StartFailed } from "./components/start-failed.tsx";
import { likelyLocale, showLocale, speakFrom } from "./i18n/texts.ts";
import { preloadFor } from "./pages/preload.ts";
import { loadSession } from "./state/session.ts";

/** Shows the portal once it is known who is signed in: nothing is shown that would be taken away again. */
async function start(root: HTMLElement): Promise<void> {
  preloadFor(location.pathname);
  // Both at the same time; the session may then want the other language.
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
    // Not even a catalogue: there are no words but these.
    root.textContent = "The portal could not be loaded. Load the page again. — Impossibile caricare il portale. Ricarica la pagina.";
  });
}
