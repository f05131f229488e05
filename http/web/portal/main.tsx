import { render } from "preact";
import { App } from "./app.tsx";
import { StartFailed } from "./components/start-failed.tsx";
import { likelyLocale, showLocale } from "./i18n/texts.ts";
import { preloadFor } from "./pages/preload.ts";
import { loadSession } from "./state/session.ts";

/** Shows the portal once it is known who is signed in: nothing is shown that would be taken away again. */
async function start(root: HTMLElement): Promise<void> {
  preloadFor(location.pathname);
  // Both at the same time; the session may then want the other language.
  const texts = showLocale(likelyLocale());
  try {
    await loadSession();
    await texts;
    render(<App />, root);
  } catch (error) {
    await texts;
    render(<StartFailed error={error} />, root);
  }
}

const root = document.getElementById("portal");
if (root !== null) void start(root);
