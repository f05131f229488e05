import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { LOGO_UPLOADS } from "../../engine/branding/shop-branding.ts";
import { CALLBACKS_UNDER_WAY } from "../../engine/callbacks/callback-sender.ts";
import { UPLOADS } from "../../engine/disputes/create-disputes.ts";
import { EXPORTS_UNDER_WAY_MAX } from "../../engine/exports/export.ts";
import * as limits from "../../engine/kernel/limits.ts";
import { type PlaceBounds, SharedPlaces } from "../../engine/kernel/shared-places.ts";
import { VERIFIES_ASKED } from "../../engine/links/shard-links.ts";
import { roomOf } from "../../engine/mails/mail.ts";
import { WEBHOOKS_UNDER_WAY } from "../../engine/webhooks/webhook-sender.ts";
import * as agents from "../../http/auth/agent-rate.ts";
import { SERVER_LIMITS } from "../../http/server/options.ts";
import { READER_WAITING_MAX } from "../../storage/clickhouse/embedded/reader-limits.ts";
import { STREAMS } from "../../storage/transactions/merchant-turns.ts";
import { filesUnder } from "../support/files-under.ts";

interface SharedBound {
  /** The row of SECURITY.md. */
  shared: string;
  /** Numbers of the row, as the code has them. */
  all: readonly number[];
  share: readonly number[];
  /** Of a pool with shares. */
  places?: PlaceBounds;
  /** Where a greedy user and a modest one ask for it. */
  asked: string;
}

const streams: PlaceBounds = { all: SERVER_LIMITS.streamsMax, each: SERVER_LIMITS.streamsPerOwnerMax };
const files: PlaceBounds = { all: SERVER_LIMITS.filesMax, each: SERVER_LIMITS.filesPerOwnerMax };

/** Everything that users share. A new bound is a line here and in SECURITY.md. */
const SHARED_BOUNDS: readonly SharedBound[] = [
  {
    ...{ shared: "evidence that is being uploaded", all: [UPLOADS.all], share: [UPLOADS.each], places: UPLOADS },
    asked: "test/engine/disputes/disputes.test.ts",
  },
  {
    ...{ shared: "logos that are being uploaded", all: [LOGO_UPLOADS.all], share: [LOGO_UPLOADS.each], places: LOGO_UPLOADS },
    asked: "test/engine/branding/shop-branding.test.ts",
  },
  {
    shared: "documents that are being checked",
    all: [constant("http/documents/document-check.ts", "AT_ONCE_MAX"), constant("http/documents/document-check.ts", "WAITING_MAX")],
    share: [],
    asked: "test/engine/disputes/disputes.test.ts",
  },
  {
    ...{ shared: "merchants' rows that are being read for a file: CSV, exports", all: [STREAMS.all], share: [STREAMS.each] },
    ...{ places: STREAMS, asked: "test/storage/transactions/merchant-turns.test.ts" },
  },
  {
    shared: "merchants' queries in ClickHouse, and reports apart from them",
    all: [turns("ALL_MAX"), constant("storage/reports/merchant-reports.ts", "REPORTS_MAX"), turns("ALL_WAITING_MAX")],
    share: [turns("OF_MERCHANT_MAX"), turns("OF_MERCHANT_WAITING_MAX")],
    asked: "test/storage/transactions/merchant-turns.test.ts",
  },
  {
    ...{ shared: "exports that are queued or made", all: [], share: [EXPORTS_UNDER_WAY_MAX] },
    asked: "test/engine/exports/exports.test.ts",
  },
  {
    ...{ shared: "downloads as a stream", all: [streams.all], share: [streams.each], places: streams },
    asked: "test/http/server/streaming.test.ts",
  },
  {
    ...{ shared: "downloads of files: app packages, exports, evidence", all: [files.all], share: [files.each], places: files },
    asked: "test/http/server/files.test.ts",
  },
  {
    shared: "calls of AI agents (`/mcp`)",
    all: [agents.AGENT_NODE_REQUESTS_PER_SECOND],
    share: [agents.AGENT_REQUESTS_PER_SECOND, agents.AGENT_FIRST_REQUESTS_PER_SECOND, agents.AGENT_FIRST_REQUESTS],
    asked: "test/http/auth/agent-rate.test.ts",
  },
  {
    shared: "deliveries of webhooks",
    all: [WEBHOOKS_UNDER_WAY.all],
    share: [
      WEBHOOKS_UNDER_WAY.each,
      constant("engine/webhooks/webhook-sender.ts", "PER_ENDPOINT_MAX"),
      constant("engine/webhooks/delivery-sender.ts", "HELD_BACK_LANE_MAX"),
    ],
    places: WEBHOOKS_UNDER_WAY,
    asked: "test/engine/webhooks/delivery-sender.test.ts",
  },
  {
    shared: "callbacks of the adapter",
    all: [CALLBACKS_UNDER_WAY.all],
    share: [CALLBACKS_UNDER_WAY.each, constant("engine/callbacks/callback-sender.ts", "PER_HOST_MAX")],
    places: CALLBACKS_UNDER_WAY,
    asked: "test/engine/webhooks/delivery-sender.test.ts",
  },
  {
    shared: "questions to the card gateway that callers or notifications ask for",
    ...{ all: [VERIFIES_ASKED.all], share: [VERIFIES_ASKED.each], places: VERIFIES_ASKED, asked: "test/engine/links/links.test.ts" },
  },
  {
    shared: "mails that wait",
    all: [roomOf("payment-link").queuedMax],
    share: [
      roomOf("payment-link").waitingMax,
      roomOf("password-reset").waitingMax,
      roomOf("payment-link").perHourMax ?? 0,
      roomOf("security-notice").perHourMax ?? 0,
    ],
    asked: "test/engine/mails/mail-store.test.ts",
  },
  { shared: "connections of cash registers (ZVT)", all: [], share: [], asked: "test/http/zvt/listener.test.ts" },
  {
    shared: "passwords that wait for their check",
    all: [constant("http/auth/partner-password.ts", "WAITING_MAX")],
    share: [constant("http/auth/partner-password.ts", "WAITING_OF_ADDRESS_MAX")],
    asked: "test/http/auth/authenticator.test.ts",
  },
  { shared: "look-ups that wait", all: [limits.WAITERS_MAX], share: [], asked: "test/scenario/relay/open-at-once.ts" },
  {
    ...{ shared: "WebSockets", all: [constant("infra/node/wiring/terminals/stomp-mount.ts", "SOCKETS_MAX")], share: [] },
    asked: "test/scenario/relay/open-at-once.ts",
  },
  {
    shared: "commands of a terminal",
    all: [limits.QUEUED_COMMANDS_MAX, limits.SENT_COMMANDS_MAX],
    share: [limits.QUEUED_OF_SENDER_MAX, limits.SENT_OF_SENDER_MAX],
    asked: "test/scenario/access/fair-use.ts",
  },
  {
    ...{ shared: "sessions of a terminal", all: [limits.SESSIONS_PER_TERMINAL_MAX], share: [limits.SESSIONS_OF_OTHERS_MAX] },
    asked: "test/engine/sessions/presence-table.test.ts",
  },
  {
    ...{ shared: "requests under way", all: [SERVER_LIMITS.pendingMax], share: [SERVER_LIMITS.bodyDeadlineMs / 1_000] },
    asked: "test/http/server/protection.test.ts",
  },
  {
    shared: "queries of analysts (embedded ClickHouse)",
    all: [READER_WAITING_MAX],
    share: [],
    asked: "test/storage/clickhouse/http-interface.test.ts",
  },
  {
    ...{
      shared: "administrators' searches in ClickHouse",
      all: [constant("storage/transactions/fed-search.ts", "SEARCHES_MAX")],
      share: [],
    },
    asked: "test/scenario/administration/admin-search.ts",
  },
];

/** A number that a file keeps to itself. */
function constant(path: string, name: string): number {
  const [, digits] = new RegExp(`const ${name} = ([\\d_]+);`).exec(readFileSync(path, "utf8")) ?? [];
  assert.ok(digits !== undefined, `${name} is not in ${path}`);
  return Number(digits.replaceAll("_", ""));
}

function turns(name: string): number {
  return constant("storage/transactions/merchant-turns.ts", name);
}

const GUIDE = readFileSync("SECURITY.md", "utf8");
const [, section = ""] = /\n## A share for everyone\n([\s\S]*?)\n## /.exec(GUIDE) ?? [];
const rows = new Map(
  section
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| what is shared"))
    .map((line) => {
      const [shared = "", all = "", share = "", kept = ""] = line.slice(2, -2).split(" | ");
      return [shared, { all, share, kept: [...kept.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path) }] as const;
    }),
);

describe("the table of what users share", () => {
  it("has a row for each bound, and no other", () => {
    assert.deepEqual(
      [...rows.keys()],
      SHARED_BOUNDS.map(({ shared }) => shared),
    );
  });

  for (const { shared, all, share, asked } of SHARED_BOUNDS) {
    it(`has the numbers of the code for ${shared}, and a test that asks for it`, () => {
      const row = rows.get(shared);
      assert.ok(row !== undefined);
      const says = (cell: string, number: number) => new RegExp(`(?<!\\d,?)${number.toLocaleString("en")}(?!,?\\d)`).test(cell);
      for (const number of all) assert.ok(says(row.all, number), `${number}: ${row.all}`);
      for (const number of share) assert.ok(says(row.share, number), `${number}: ${row.share}`);
      for (const path of [...row.kept, asked]) assert.ok(existsSync(path), path);
    });
  }

  it("names every file that has a pool with shares", async () => {
    const sources = (await Promise.all(["engine", "http", "storage", "infra/node"].map((folder) => filesUnder(folder)))).flat();
    const pools = sources.filter(({ bytes }) => bytes.includes("new SharedPlaces(")).map(({ name }) => name);
    const kept = [...rows.values()].flatMap((row) => row.kept);
    // The senders of files and streams get their bounds from the server's limits.
    const senders = ["http/server/file-sender.ts", "http/server/stream-sender.ts"];
    assert.ok(pools.length > senders.length);
    assert.deepEqual(
      pools.filter((path) => !kept.includes(path) && !senders.includes(path)),
      [],
    );
  });

  it("says the least pace of a transfer", () => {
    const { uploadBytesPerSecond, downloadBytesPerSecond, graceMs } = SERVER_LIMITS.pace;
    const said = section.replaceAll(/\s+/g, " ");
    assert.ok(said.includes(`${uploadBytesPerSecond.toLocaleString("en")} bytes a second of an upload`));
    assert.ok(said.includes(`${downloadBytesPerSecond.toLocaleString("en")} of a download`));
    assert.ok(said.includes(`slower for ${graceMs / 1_000} s`));
  });
});

for (const { shared, places: bounds } of SHARED_BOUNDS) {
  if (bounds === undefined) continue;
  describe(`three greedy users and a modest one ask for ${shared}`, () => {
    it("and the modest one gets a place", () => {
      const places = new SharedPlaces(bounds);
      for (const greedy of ["greedy 1", "greedy 2", "greedy 3"]) while (places.refusalOf(greedy) === null) places.take(greedy);
      assert.equal(places.refusalOf("modest"), null);
    });
  });
}
