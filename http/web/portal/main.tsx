import { render } from "preact";
import { forgetEarly } from "./api/early.ts";
import { App } from "./app.tsx";
import { StartFailed } from "./components/start-failed.tsx";
import { likelyLocale } from "./i18n/likely-locale.ts";
import { showLocale, speakFrom } from "./i18n/texts.ts";
import { watchConnection } from "./state/connection.ts";
import { watchLeaving } from "./state/navigation.ts";
import { loadSession, session } from "./state/session.ts";

/** Shows the portal when the session is known, so that nothing has to be removed again. */
async function start(root: HTMLElement): Promise<void> {
  watchLeaving();
  watchConnection();
  // Both load at the same time. The session may then require the other language.
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

speakFrom({
  en: {
    start: async () => (await import("./i18n/start.en.ts")).start,
    pages: async () => (await import("./i18n/en.ts")).en,
  },
  it: {
    start: async () => (await import("./i18n/start.it.ts")).start,
    pages: async () => (await import("./i18n/it.ts")).it,
  },
});

const root = document.getElementById("portal");
if (root !== null) {
  start(root).catch(() => {
    // Not even a catalogue could be loaded, so this text cannot be translated.
    delete document.documentElement.dataset["frame"];
    root.textContent = "The portal could not be loaded. Load the page again. — Impossibile caricare il portale. Ricarica la pagina.";
  });
}
