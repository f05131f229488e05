import { useEffect, useRef, useState } from "preact/hooks";
import type { DisputeJson } from "../../../../surfaces/merchant/disputes/schemas.ts";
import { isSame, type Written, writtenOf } from "./written.ts";

export interface Draft {
  written: Written;
  unsaved: boolean;
  /** Another person's draft that was stored since; null if there is none. */
  theirs: Written | null;
  change(written: Written): void;
  /** Records that the relay has stored the text in `then`. */
  stored(dispute: DisputeJson, then: Written): void;
  /** Replaces the text here by the other person's draft. */
  takeTheirs(): void;
}

/**
 * Holds the response text next to the stored draft. The text here is never replaced by a draft that
 * another person stores meanwhile.
 */
export function useDraft(dispute: DisputeJson): Draft {
  const now = writtenOf(dispute.draft);
  const [written, setWritten] = useState(now);
  /** The stored draft as far as this page knows it. */
  const [looked, setLooked] = useState({ written: now, updatedAt: dispute.updatedAt });
  const unsaved = !isSame(written, looked.written);
  const latest = useRef(written);
  latest.current = written;
  // A response that was under way while a draft was stored here is older, so it is ignored.
  const isNews = !isSame(now, looked.written) && Date.parse(dispute.updatedAt) >= Date.parse(looked.updatedAt);
  const take = (): void => {
    setLooked({ written: now, updatedAt: dispute.updatedAt });
    setWritten(now);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs for a newer draft.
  useEffect(() => {
    if (isNews && !unsaved) take();
  }, [isNews, unsaved]);
  return {
    written,
    unsaved,
    theirs: isNews && unsaved ? now : null,
    change: setWritten,
    stored: ({ draft, updatedAt }, then) => {
      const kept = writtenOf(draft);
      setLooked({ written: kept, updatedAt });
      // The relay masks card numbers. Text that was typed during the request stays.
      if (isSame(latest.current, then)) setWritten(kept);
    },
    takeTheirs: take,
  };
}
