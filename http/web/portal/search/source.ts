import type { ComponentChildren } from "preact";
import type { BadgeKind } from "../components/badge.tsx";
import type { IconName } from "../components/icon.tsx";
import type { NavGroup } from "../components/nav-entry.ts";

/** The dialog of an app gets its navigation. */
export interface SearchProps {
  groups: readonly NavGroup[];
  onClose: () => void;
}

/** Something that can be opened. */
export interface SearchOption {
  key: string;
  href: string;
  icon: IconName;
  title: string;
  /** The line below the title: the id, if the title is another text. */
  second?: string | undefined;
  amount?: { minor: number; currency: string } | undefined;
  at?: string | undefined;
  state?: { text: string; kind: BadgeKind } | undefined;
}

export interface SearchGroup {
  name: string;
  title: string;
  options: readonly SearchOption[];
}

export interface SearchAnswer {
  groups: readonly SearchGroup[];
  /** Objects with a similar id, if nothing has the id. */
  near: readonly SearchOption[];
  /** The things that were not searched, and the reasons. */
  notes: readonly ComponentChildren[];
}

/** Finds the things of an app besides its pages. */
export interface SearchSource {
  /** The kinds of things that can be found, below the field. */
  hint(): string;
  /** Finds nothing for a text that is too short. */
  search(text: string, signal: AbortSignal): Promise<SearchAnswer>;
}

/** Shorter texts find only pages. */
export const SEARCH_LENGTH_MIN = 2;
export const SEARCH_LENGTH_MAX = 254;

const GOOD = /^(?:OK|DONE|PAID|SUCCESS|SUCCEEDED|ACTIVE|WON|PREVENTED|ONLINE)$/i;
const BAD = /^(?:KO|FAILED|UNKNOWN|NOTPAID|OVERDUE|PAST_DUE|LOST)$/i;
const OPEN =
  /^(?:QUEUED|SENT|CREATED|WAITING|WATCHING|PENDING|PROCESSING|REQUIRES_\w+|OPEN|EVIDENCE_REQUIRED|INCOMPLETE|(?:PARTLY_)?REFUNDED)$/i;

/** Returns the colour of a state. Its words say the same. */
export function toneOf(state: string): BadgeKind {
  if (GOOD.test(state)) return "good";
  if (BAD.test(state)) return "bad";
  return OPEN.test(state) ? "warn" : "neutral";
}
