import type { IconName } from "./icon.tsx";

/** A page in the navigation. */
export interface NavEntry {
  name: string;
  href: string;
  label: string;
  /** A shorter label for the bar of a phone. */
  shortLabel?: string | undefined;
  icon: IconName;
  onPhone: boolean;
  preload: () => Promise<void>;
}

export interface NavGroup {
  name: string;
  title: string;
  entries: readonly NavEntry[];
}
