import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LinkEffect, LinkEvent } from "../../../engine/links/events.ts";
import type { LinkRecord } from "../../../engine/links/link.ts";
import { stepLink } from "../../../engine/links/step-link.ts";

/** What a step makes of a link. */
export interface Row {
  title: string;
  from: LinkRecord;
  event: LinkEvent;
  /** Members of the record that change; absent: the event changes nothing at all. */
  to?: Partial<LinkRecord>;
  effects?: LinkEffect[];
}

export function table(title: string, rows: readonly Row[]): void {
  describe(title, () => {
    for (const { title, from, event, to, effects = [] } of rows) {
      it(title, () => {
        const next = stepLink(from, event);
        assert.deepEqual(next.effects, effects);
        assert.equal(next.changed, to !== undefined);
        assert.deepEqual(next.record, { ...from, ...to });
      });
    }
  });
}
