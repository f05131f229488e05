import { isPublic } from "../state/navigation.ts";
import { signInPage } from "./entrance/pages.ts";
import { PAGES, pageAt } from "./registry.ts";

/** Begins to load the script of the page at this path, while the relay is still asked who is signed in. */
export function preloadFor(path: string): void {
  if (isPublic(path)) signInPage.preload();
  else pageAt(PAGES, path)?.entry.page.preload();
}
