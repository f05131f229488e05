/**
 * The browser remembers whether somebody is signed in, so that the next load shows the frame of the
 * navigation at once, and a person who is signed out never sees it. The hint holds nothing of the
 * person: only whether the frame has a strip at the top.
 */
export type FrameHint = "plain" | "strip";

export type AppName = "portal" | "operators";

const keyOf = (app: AppName) => `${app}.frame`;

/** Remembers the frame for the next load; null when nobody is signed in. */
export function keepFrame(app: AppName, hint: FrameHint | null): void {
  try {
    if (hint === null) localStorage.removeItem(keyOf(app));
    else localStorage.setItem(keyOf(app), hint);
  } catch {
    // Storage is unavailable. The next load shows the frame when the session is known.
  }
}

export function keptFrame(app: AppName): FrameHint | null {
  try {
    const kept = localStorage.getItem(keyOf(app));
    return kept === "plain" || kept === "strip" ? kept : null;
  } catch {
    return null;
  }
}
