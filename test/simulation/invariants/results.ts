import { byUuid, type Evidence, isOfLostStore, type Violation } from "./judge.ts";

/** An acknowledged result is found for good, stays what it was, and its command is `done`. */
export function judgeResults({ witness, feed }: Evidence): Violation[] {
  const violations: Violation[] = [];
  const looksOf = byUuid(witness.looks.filter(({ state, how }) => state !== "none" && how !== "cancel"));
  for (const [uuid, postings] of byUuid(witness.postings)) {
    const acknowledged = postings.filter(({ acknowledgedAtMs }) => acknowledgedAtMs !== null);
    const [first] = acknowledged;
    if (first === undefined || first.acknowledgedAtMs === null) continue;
    const sinceMs = acknowledged.reduce(
      (least, { acknowledgedAtMs }) => Math.min(least, acknowledgedAtMs ?? least),
      first.acknowledgedAtMs,
    );
    const isCapital = first.commandUuid !== uuid;
    const looks = (looksOf.get(first.commandUuid) ?? []).filter(({ askedAtMs }) => askedAtMs > sinceMs);
    const restore = isOfLostStore(witness, first.commandUuid, first.postedAtMs) ? witness.restores[0] : undefined;
    if (isCapital) {
      const missing = looks.find(({ content }) => content === null);
      // Another device may have posted it as it was sent.
      if (missing !== undefined && restore === undefined) {
        violations.push({
          invariant: "capitals are the same uuid",
          uuid: first.commandUuid,
          what: `${missing.asker} does not find the result`,
        });
      }
      continue;
    }
    if (restore !== undefined) {
      const heldSinceMs = feed.heldSince.get(uuid);
      const missing = looks.find(({ content, askedAtMs }) => content === null && askedAtMs > restore.atMs);
      if (heldSinceMs !== undefined && heldSinceMs <= restore.atMs && missing !== undefined) {
        violations.push({ invariant: "restored: what the feed held is found", uuid, what: `${missing.asker} does not find its result` });
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
