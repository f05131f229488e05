import { computed, signal } from "@preact/signals";
import type { Person } from "./door.ts";
import { type AppName, keepFrame } from "./frame-hint.ts";
import { releaseLeaving } from "./navigation.ts";

/** A sign-in over a page whose session has ended. The page and all its calls wait for it. */
interface Returning {
  person: Person;
  /** Resolves with true if the same person is signed in again. */
  done: Promise<boolean>;
  settle(isBack: boolean): void;
}

const current = signal<Returning | null>(null);

/** The person who signs in again over the page; null if nobody has to. */
export const returning = computed((): Person | null => current.value?.person ?? null);

/** True while the page is loaded again for somebody else. It shows and sends nothing meanwhile. */
export const startsOver = signal(false);

/** Opens sign-in over the page. Calls that need it at the same time share it. */
export function askToReturn(person: Person): Promise<boolean> {
  if (current.value === null) {
    let settle: (isBack: boolean) => void = () => {};
    const done = new Promise<boolean>((resolve) => {
      settle = resolve;
    });
    current.value = { person: { ...person, stage: "none", methods: [] }, done, settle };
  }
  return current.value.done;
}

/** Shows the next step of the sign-in. */
export function returnAs(person: Person): void {
  if (current.value !== null) current.value = { ...current.value, person };
}

export function endReturn(isBack: boolean): void {
  const { value } = current;
  current.value = null;
  value?.settle(isBack);
}

/** Resolves when no sign-in is open, and never if the page starts over. */
export function readyToCall(): Promise<unknown> {
  return startsOver.value ? new Promise(() => {}) : Promise.resolve(current.value?.done);
}

/** Loads another page for another person, without anything of the former one. */
export function startOver(app: AppName, address: string): void {
  startsOver.value = true;
  keepFrame(app, null);
  releaseLeaving();
  location.replace(address);
}

/** The person to whom a page belongs. */
export interface PageOwner {
  stage: Person["stage"];
  /** Identifies the person; null before the first step of sign-in. */
  id: string | null;
}

/**
 * Decides what a session that the relay reports means for the page: the page takes it, the sign-in
 * over the page goes on with it, or the page starts over because it belongs to somebody else.
 */
export function meaningOf(page: PageOwner | null, reported: PageOwner): "take" | "go on" | "start over" {
  if (page?.stage !== "full" || reported.stage === "none") return "take";
  if (reported.id !== page.id || reported.stage === "enrol") return "start over";
  return reported.stage === "full" ? "take" : "go on";
}
