import { byCommand, byUuid, type Evidence, isOfLostStore, restoredHow, type Violation } from "./judge.ts";

/** An acknowledged result is found for good, stays what it was, and its command is `done`. */
export function judgeResults({ witness, feed }: Evidence): Violation[] {
  const violations: Violation[] = [];
  const looksOf = byUuid(witness.looks.filter(({ state, how }) => state !== "none" && how !== "cancel"));
  for (const { uuid, shown, asker } of witness.looks) {
    // In a store that was taken back it may be a result's that nobody asked for, as its terminal wrote it.
    if (shown === null || shown === uuid || isOfLostStore(witness, uuid)) continue;
    violations.push({ invariant: "capitals are the same uuid", uuid, what: `${asker} was shown it as ${shown}` });
  }
  for (const [uuid, postings] of byCommand(witness.postings)) {
    const acknowledged = postings.filter(({ acknowledgedAtMs }) => acknowledgedAtMs !== null);
    const [first] = acknowledged;
    if (first === undefined || first.acknowledgedAtMs === null) continue;
    const sinceMs = acknowledged.reduce(
      (least, { acknowledgedAtMs }) => Math.min(least, acknowledgedAtMs ?? least),
      first.acknowledgedAtMs,
    );
    const looks = (looksOf.get(uuid) ?? []).filter(({ askedAtMs }) => askedAtMs > sinceMs);
    const restore = isOfLostStore(witness, uuid, first.postedAtMs) ? witness.restores[0] : undefined;
    if (restore !== undefined) {
      const heldSinceMs = feed.heldSince.get(`${first.terminalId} ${uuid}`);
      const missing = looks.find(({ content, askedAtMs }) => content === null && askedAtMs > restore.atMs);
      if (heldSinceMs !== undefined && heldSinceMs <= restore.atMs && missing !== undefined) {
        const what = `${missing.asker} does not find its result${restoredHow(witness)}`;
        violations.push({ invariant: "restored: what the feed held is found", uuid, what });
      }
      continue;
    }
    const contents = new Set(postings.map(({ content }) => content));
    for (const { asker, state, content, how } of looks) {
      const missing = how === "latest" ? "status is not behind" : "results are found";
      if (content === null) violations.push({ invariant: missing, uuid, what: `${asker} was told ${state} without a result (${how})` });
      else if (!contents.has(content))
        violations.push({ invariant: "results stand", uuid, what: `${asker} was told ${content}, which nobody posted` });
      else if (state !== "done")
        violations.push({ invariant: "done stays done", uuid, what: `${asker} was told ${state} with its result` });
      else continue;
      break;
    }
    const shown = new Set(looks.flatMap(({ content }) => (content === null ? [] : [content])));
    if (shown.size > 1) violations.push({ invariant: "results stand", uuid, what: `it was shown as ${[...shown].join(" and as ")}` });
  }
  return violations;
}
