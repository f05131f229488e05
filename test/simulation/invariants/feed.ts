import { contentOf } from "../actors/result-poster.ts";
import { byCommand, byUuid, type Evidence, isOfLostStore, type Violation } from "./judge.ts";

/** A feed that nothing stands in the way of has brought a row there by then. */
const FED_WITHIN_MS = 4_000;

/** Each acknowledged result stands in the feed as it was posted, and its command as done; the last life there is the one that everyone is told; all rows of a command are the same merchant's. */
export function judgeFeed({ witness, feed, settledAtMs, endMs }: Evidence): Violation[] {
  const violations: Violation[] = [];
  const rowsOf = byUuid(
    [...feed.transactions.values()].map((row) => ({ uuid: keyOf(row.transaction.terminalId, row.transaction.uuid), row })),
  );
  for (const [uuid, postings] of byCommand(witness.postings)) {
    const acknowledged = postings.filter(({ acknowledgedAtMs }) => acknowledgedAtMs !== null && acknowledgedAtMs < endMs - FED_WITHIN_MS);
    const [first] = acknowledged;
    if (first === undefined || isOfLostStore(witness, uuid, first.postedAtMs)) continue;
    const rows = rowsOf.get(keyOf(first.terminalId, uuid)) ?? [];
    const [found] = rows;
    if (found === undefined || rows.length > 1) {
      violations.push({ invariant: "fed once and right", uuid, what: `its result stands ${rows.length} times in the feed` });
      continue;
    }
    const { status, amountCents, auth, uuid: shown } = found.row.transaction;
    if (shown !== uuid) violations.push({ invariant: "capitals are the same uuid", uuid, what: `the feed has it as ${shown}` });
    const content = contentOf(status, amountCents, auth?.authCode ?? "");
    if (!postings.some((posting) => posting.content === content)) {
      violations.push({ invariant: "fed once and right", uuid, what: `the feed has ${content}, which nobody posted` });
    }
    const life = feed.lives.get(`${found.row.transaction.terminalId} ${shown}`);
    if (found.row.kind !== null && life?.state !== "done") {
      const end = life === undefined ? "not" : `as ${life.state}`;
      violations.push({ invariant: "fed once and right", uuid, what: `the feed has its result, and how its command ended ${end}` });
    }
  }
  const lastLooks = byUuid(witness.looks.filter(({ state, askedAtMs }) => state !== "none" && askedAtMs >= settledAtMs));
  for (const { uuid, state, arrivedAtMs } of feed.lives.values()) {
    const looks = lastLooks.get(uuid) ?? [];
    const last = looks.reduce((latest, look) => (look.askedAtMs >= (latest?.askedAtMs ?? 0) ? look : latest), looks[0]);
    if (last === undefined || last.state === state || last.askedAtMs < arrivedAtMs || isOfLostStore(witness, uuid)) continue;
    violations.push({
      invariant: last.state === "done" || state === "done" ? "done stays done" : "fed once and right",
      uuid,
      what: `the feed says ${state}, and ${last.asker} was told ${last.state} in the end`,
    });
  }
  for (const [key, shops] of feed.shops) {
    const [, uuid = ""] = key.split(" ");
    if (shops.size === 1 || isOfLostStore(witness, uuid)) continue;
    violations.push({
      invariant: "its shop stays",
      uuid,
      what: `its rows are ${[...shops].map((shop) => shop || "nobody").join("'s and ")}'s`,
    });
  }
  return violations;
}

function keyOf(terminalId: string, uuid: string): string {
  return `${terminalId} ${uuid.toLowerCase()}`;
}
