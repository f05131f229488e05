import { post } from "../api/client.ts";
import { hasCode } from "../api/errors.ts";
import { text } from "../i18n/texts.ts";
import type { Person } from "./door.ts";
import { navigate } from "./navigation.ts";
import { askToReturn, returnAs, returning } from "./returning.ts";
import { toast } from "./toasts.ts";

/** The session of one of the two apps. */
interface OwnSession<State> {
  person(): Person | null;
  take(state: State): Promise<void>;
  /** Forgets the person, so that sign-in starts again. */
  forget(): void;
  signInAddress(): string;
  /** The other windows of the browser have the same session. */
  tellOthers(): void;
}

/** The begin and the end of a session, which merchants' users and administrators have in common. */
export function entering<State>({ person, take, forget, signInAddress, tellOthers }: OwnSession<State>) {
  /**
   * Lets the person sign in again over the page. Resolves with true if the same person did. Before
   * the last step of a sign-in there is no page to keep, so sign-in starts again.
   */
  async function sessionLost(): Promise<boolean> {
    const lost = person();
    if (lost?.stage === "full") return await askToReturn(lost);
    // Several panels may receive this error at the same time.
    if (lost === null || lost.stage === "none") return false;
    const address = signInAddress();
    forget();
    navigate(address, { replace: true });
    toast(text().app.sessionEnded, "note");
    return false;
  }
  /** Sends a step of sign-in. */
  async function enter(path: string, proof: unknown): Promise<void> {
    try {
      await take(await post<State>(path, proof));
    } catch (error) {
      const { value } = returning;
      // The sign-in took too long and has to start again.
      if (hasCode(error, "unauthorized") && value !== null) returnAs({ ...value, stage: "none" });
      else if (hasCode(error, "unauthorized")) await sessionLost();
      throw error;
    }
    if (person()?.stage === "full") tellOthers();
  }
  return { sessionLost, enter };
}
