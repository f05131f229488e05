import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCheckSession } from "../../engine/accounts/check-session.ts";
import { createMemberships } from "../../engine/accounts/memberships.ts";
import { createSessionStore } from "../../engine/accounts/session-store.ts";
import type { MemberRecord } from "../../engine/accounts/team.ts";
import { createTeamStore } from "../../engine/accounts/team-store.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import { createMerchantStore } from "../../engine/partners/merchant-store.ts";
import { openEmbeddedKv } from "../../storage/kv/embedded.ts";
import { goalsTable, markdownTable, type PartResult } from "./part.ts";

interface SessionsResult {
  sessions: number;
  /** Of one check after the other, in microseconds; `read` is one read of the store, for comparison. */
  checkP50Us: number;
  checkP95Us: number;
  readP50Us: number;
  /** Of each, with fifty under way at once. */
  at50Us: number;
}

const SESSIONS = 1_000;
const CHECKS = 20_000;
const AT_ONCE = 50;

const CHECK_US_MAX = 100;

/** Checks of sessions at the thread that has the embedded store: a session of each of a thousand merchants with five users. */
export async function measureSessions(): Promise<PartResult> {
  const directory = await mkdtemp(join(tmpdir(), "bench-sessions-"));
  const kv = await openEmbeddedKv({ directory, nowMs: Date.now });
  try {
    const [sessions, teams, merchants] = [createSessionStore(kv, Date.now), createTeamStore(kv), createMerchantStore(kv)];
    await fill(kv);
    const check = createCheckSession({
      sessions,
      memberships: createMemberships({ teams, merchants, isPartnerEnabled: () => true }),
      nowMs: Date.now,
    });
    const one = async (index: number) => {
      if ((await check(digestOf((index * 7_919) % SESSIONS))) === null) throw new Error("a session is missing");
    };
    // Once for the compiler.
    await times(CHECKS, one);
    const [checked, read] = [
      await times(CHECKS, one),
      await times(CHECKS, (index) => kv.get(`portal-session/${digestOf(index % SESSIONS)}`)),
    ];
    const begunAt = performance.now();
    for (let index = 0; index < CHECKS; index += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, more) => one(index + more)));
    }
    const at50Us = ((performance.now() - begunAt) / CHECKS) * 1_000;
    const us = (sorted: readonly number[], share: number) => Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 1_000);
    return resultOf({
      sessions: SESSIONS,
      checkP50Us: us(checked, 0.5),
      checkP95Us: us(checked, 0.95),
      readP50Us: us(read, 0.5),
      at50Us: Math.round(at50Us),
    });
  } finally {
    await kv.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Milliseconds of each, sorted. */
async function times(count: number, run: (index: number) => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const begunAt = performance.now();
    await run(index);
    taken.push(performance.now() - begunAt);
  }
  return taken.sort((less, more) => less - more);
}

const digestOf = (index: number) => String(index).padStart(64, "0");

async function fill(kv: Kv): Promise<void> {
  const [sessions, teams, merchants] = [createSessionStore(kv, Date.now), createTeamStore(kv), createMerchantStore(kv)];
  const nowMs = Date.now();
  for (let index = 0; index < SESSIONS; index += 1) {
    const merchantId = `SHOP-${index}`;
    const merchant = {
      ...({ schema: 1, merchantId, partnerId: 1, merchantName: "Bar", environment: "TEST", active: true } as const),
      ...{
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
        createdBy: "bench",
        services: {},
        keys: { publishable: `p${index}`, secret: `s${index}` },
      },
    };
    await merchants.commit({ merchant: { record: merchant, version: 0 }, before: null, count: null, secrets: null });
    const members = Array.from({ length: 5 }, (_, member): MemberRecord => memberOf(index, member));
    await teams.commit(null, { schema: 1, merchantId, members, updatedAtMs: nowMs });
    const session = {
      ...({
        schema: 1,
        tokenSha256: digestOf(index),
        sessionId: `ses_${index}`,
        accountId: `acc_${index}_3`,
        stage: "full",
        merchantId,
      } as const),
      ...{ email: "anna@example.com", createdAtMs: nowMs, lastUsedAtMs: nowMs, endsAtMs: nowMs + 43_200_000, steppedUpUntilMs: 0 },
      ...{ codesTried: 0, pendingTotp: null, ipAddress: "192.0.2.1", userAgent: "Mozilla/5.0 (X11; Linux x86_64) Firefox/128.0" },
    };
    await sessions.begin(session, { replaces: null });
  }
}

function memberOf(merchant: number, member: number): MemberRecord {
  return {
    ...{ userId: `usr_${merchant}_${member}`, email: `anna${member}@example.com`, role: "OWNER", state: "ACTIVE", locale: "it" },
    ...{ accountId: `acc_${merchant}_${member}`, invitedAtMs: 0, invitation: null, joinedAtMs: 0 },
  };
}

function resultOf(found: SessionsResult): PartResult {
  const { sessions, checkP50Us, checkP95Us, readP50Us, at50Us } = found;
  const goals = [{ what: "session check, median", found: checkP50Us, most: CHECK_US_MAX, unit: "µs" }];
  const markdown = [
    `${sessions.toLocaleString("en")} sessions, at the thread that has the embedded store. A check is three reads, of which two at once.`,
    "",
    goalsTable(goals),
    "",
    markdownTable(
      ["", "µs"],
      [
        ["one check, p50", checkP50Us],
        ["one check, p95", checkP95Us],
        ["each of fifty at once", at50Us],
        ["one read of the store, p50", readP50Us],
      ],
    ),
  ].join("\n");
  return { title: "Session check", json: found, markdown, goals };
}
