import { isPublic } from "../state/navigation.ts";
import { signInPage } from "./entrance/pages.ts";
import { PAGES, pageAt } from "./registry.ts";

/** Starts to load the script of the page at this path while the session is still loading. */
export function preloadFor(path: string): void {
  if (isPublic(path)) signInPage.preload();
  else pageAt(PAGES, path)?.entry.page.preload();
}
