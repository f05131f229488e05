import { useEffect, useRef, useState } from "preact/hooks";
import type { DisputeJson } from "../../../../surfaces/merchant/disputes/schemas.ts";
import { isSame, type Written, writtenOf } from "./written.ts";

export interface Draft {
  written: Written;
  unsaved: boolean;
  /** What somebody else has stored since; null for nothing. */
  theirs: Written | null;
  change(written: Written): void;
  /** The relay has stored what was written then. */
  stored(dispute: DisputeJson, then: Written): void;
  /** In the place of what is written here. */
  takeTheirs(): void;
}

/** What is written of a response, beside what is stored of it: what is typed here is never replaced by what somebody else stores meanwhile. */
export function useDraft(dispute: DisputeJson): Draft {
  const now = writtenOf(dispute.draft);
  const [written, setWritten] = useState(now);
  /** What is stored, as far as is known here. */
  const [looked, setLooked] = useState({ written: now, updatedAt: dispute.updatedAt });
  const unsaved = !isSame(written, looked.written);
  const latest = useRef(written);
  latest.current = written;
  // An answer that was on its way while something was stored here says what was before.
  const isNews = !isSame(now, looked.written) && Date.parse(dispute.updatedAt) >= Date.parse(looked.updatedAt);
  const take = (): void => {
    setLooked({ written: now, updatedAt: dispute.updatedAt });
    setWritten(now);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is stored decides.
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
      // Card numbers are masked; and what was typed while it was stored stays.
      if (isSame(latest.current, then)) setWritten(kept);
    },
    takeTheirs: take,
  };
}
