import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { test } from "node:test";
import { isIn, type SourceFile, sourceFiles } from "./source.ts";
import { SUBJECTS } from "./subjects.ts";

const PRODUCT = sourceFiles("engine", "http", "storage", "infra");
const ALL = [...PRODUCT, ...sourceFiles("bench", "test")];

/** What all programs have in common that people start; it knows nothing of what they do. */
const COMMAND_LINE = "infra/command-line.ts";

/** Files of a folder import their own folder and these; nothing else of this repository. */
const DIRECTIONS: { folder: string; mayImport: string[] }[] = [
  { folder: "engine/", mayImport: [] },

  { folder: "http/endpoint/", mayImport: ["engine/"] },
  { folder: "http/auth/", mayImport: ["engine/", "http/endpoint/"] },
  { folder: "http/server/", mayImport: ["engine/", "http/endpoint/", "http/auth/"] },
  { folder: "http/stomp/", mayImport: ["engine/"] },
  { folder: "http/zvt/", mayImport: ["engine/"] },
  // The gateway protocol: its forms and signatures, which the adapter and the sandbox gateway share, and the client.
  { folder: "http/gateway/", mayImport: ["engine/", "http/auth/"] },
  // Words of the compatible platform's wire, which its surface, its webhooks and its scripts share.
  { folder: "http/compat/", mayImport: ["engine/webhooks/"] },
  { folder: "http/webhooks/", mayImport: ["engine/", "http/compat/"] },
  { folder: "http/mail/", mayImport: ["engine/"] },
  // Files of merchants' lists: the rows and words of the portal's own interface.
  { folder: "http/exports/", mayImport: ["engine/", "http/surfaces/merchant/", "http/surfaces/parts/"] },
  // Documents of others, in a thread of their own.
  { folder: "http/documents/", mayImport: ["engine/"] },
  { folder: "http/web/", mayImport: ["engine/", "http/endpoint/", "http/compat/"] },
  // The portal's pages: of the relay the types of its JSON, who may do what, and the decimals of currencies. A test below says that they load nothing else.
  { folder: "http/web/portal/", mayImport: ["engine/", "http/surfaces/merchant/"] },
  // The operators' pages are made of the portal's parts, which know nothing of them.
  {
    folder: "http/web/operators/",
    mayImport: ["engine/", "http/surfaces/admin/", "http/surfaces/apps/", "http/surfaces/parts/", "http/web/portal/"],
  },
  // Surfaces share the parts and do not import each other.
  { folder: "http/surfaces/relay/", mayImport: ["engine/", "http/endpoint/", "http/surfaces/parts/"] },
  { folder: "http/surfaces/admin/", mayImport: ["engine/", "http/endpoint/", "http/surfaces/parts/"] },
  { folder: "http/surfaces/partner-v1/", mayImport: ["engine/", "http/endpoint/", "http/surfaces/parts/"] },
  { folder: "http/surfaces/merchant/", mayImport: ["engine/", "http/endpoint/", "http/surfaces/parts/"] },
  { folder: "http/surfaces/agents/", mayImport: ["engine/", "http/endpoint/", "http/surfaces/parts/"] },
  { folder: "http/surfaces/links/", mayImport: ["engine/", "http/endpoint/", "http/surfaces/parts/"] },
  { folder: "http/surfaces/gateway-adapter/", mayImport: ["engine/", "http/endpoint/", "http/gateway/", "http/surfaces/parts/"] },
  { folder: "http/surfaces/compat/", mayImport: ["engine/", "http/endpoint/", "http/compat/"] },
  { folder: "http/surfaces/compat-pages/", mayImport: ["engine/", "http/endpoint/", "http/surfaces/parts/"] },
  { folder: "http/surfaces/link-pages/", mayImport: ["engine/", "http/endpoint/", "http/surfaces/parts/"] },
  { folder: "http/surfaces/subscription-pages/", mayImport: ["engine/", "http/endpoint/", "http/surfaces/parts/"] },
  { folder: "http/surfaces/demo/", mayImport: ["engine/", "http/endpoint/", "http/compat/", "http/web/", "http/surfaces/parts/"] },
  { folder: "http/surfaces/partner-portal/", mayImport: ["engine/", "http/endpoint/", "http/surfaces/parts/"] },
  { folder: "http/surfaces/apps/", mayImport: ["engine/", "http/endpoint/", "http/surfaces/parts/"] },
  { folder: "http/surfaces/system/", mayImport: ["http/endpoint/", "http/surfaces/parts/"] },
  { folder: "http/surfaces/parts/", mayImport: ["engine/", "http/endpoint/"] },

  // What is written in which form: one table for all of the storage.
  { folder: "storage/schemas/", mayImport: ["engine/"] },
  { folder: "storage/redis/", mayImport: [] },
  { folder: "storage/kv/", mayImport: ["engine/", "storage/schemas/", "storage/redis/"] },
  { folder: "storage/bus/", mayImport: ["engine/", "storage/schemas/", "storage/redis/"] },
  { folder: "storage/clickhouse/", mayImport: [] },
  { folder: "storage/packages/", mayImport: ["engine/"] },
  { folder: "storage/files/", mayImport: ["engine/"] },
  { folder: "storage/feed/", mayImport: ["engine/", "storage/kv/"] },
  // Queries over what the feed has written.
  { folder: "storage/transactions/", mayImport: ["engine/", "storage/feed/"] },
  { folder: "storage/reports/", mayImport: ["engine/", "storage/feed/", "storage/transactions/"] },
  // The logs of merchants are written in the same way as the feed, and are read in the same way as transactions.
  { folder: "storage/activity/", mayImport: ["engine/", "storage/feed/", "storage/transactions/"] },

  { folder: "infra/node/", mayImport: ["engine/", "http/", "storage/", "infra/sandbox/", COMMAND_LINE] },
  // A terminal knows the wire and its words, not the relay.
  { folder: "infra/sandbox/terminal/", mayImport: ["engine/payments/", "engine/kernel/", "http/stomp/", COMMAND_LINE] },
  // So does the gateway.
  { folder: "infra/sandbox/gateway/", mayImport: ["engine/kernel/", "http/auth/", "http/gateway/", COMMAND_LINE] },
  // A receiver of webhooks knows the words of the wire, and nothing of who sends.
  { folder: "infra/sandbox/webhooks/", mayImport: ["http/compat/", COMMAND_LINE] },
  // A cash register has its own codec: two that agree are worth more than one.
  { folder: "infra/sandbox/register/", mayImport: [COMMAND_LINE] },
];

/** The parts of a node in their order; what stands in one line does not know each other. `main.ts` stands above them. */
const NODE_PARTS = [["observability"], ["boot"], ["cluster"], ["wiring"], ["process", "shard"]];

const KV = "engine/kernel/kv.ts";

/** In the engine only these reach the key-value store: stores, which are named so or listed, and what writes rows and items into others' commits. */
const ON_KV = [
  /-store\.ts$/,
  /^engine\/tables\/table-versions\.ts$/,
  /^engine\/terminals\/receipt-cleaner\.ts$/,
  /^engine\/payments\/(?:outbox|attention)\.ts$/,
  /^engine\/kernel\/commit-part\.ts$/,
];

/** Where a package may be imported, in the product. */
const PACKAGES: { name: string; in: string[] }[] = [
  { name: "uWebSockets.js", in: ["http/server/"] },
  { name: "xstate", in: ["engine/"] },
  { name: "ioredis", in: ["storage/", "infra/local/"] },
  { name: "kafkajs", in: ["storage/", "infra/local/"] },
  { name: "@clickhouse/client", in: ["storage/"] },
  { name: "chdb", in: ["storage/clickhouse/"] },
  { name: "classic-level", in: ["storage/kv/"] },
  { name: "re2js", in: ["http/auth/"] },
  { name: "fast-json-stringify", in: ["http/endpoint/"] },
  { name: "@fastify/busboy", in: ["http/endpoint/"] },
  { name: "pino", in: ["infra/node/"] },
  { name: "prom-client", in: ["infra/node/"] },
  { name: "csv-stringify", in: ["http/surfaces/merchant/"] },
  { name: "write-excel-file", in: ["http/exports/"] },
  { name: "@cantoo/pdf-lib", in: ["http/documents/"] },
  { name: "cfb", in: ["http/documents/"] },
  { name: "fflate", in: ["http/documents/"] },
  { name: "@modelcontextprotocol/server", in: ["http/surfaces/agents/"] },
  { name: "qrcode", in: ["http/surfaces/links/", "http/surfaces/parts/buyer/qr-code.ts"] },
  { name: "otpauth", in: ["http/auth/"] },
  { name: "@simplewebauthn/server", in: ["http/auth/"] },
  { name: "commander", in: ["infra/"] },
  { name: "ws", in: ["infra/sandbox/"] },
  { name: "esbuild", in: ["http/web/", "infra/build/"] },
  { name: "preact", in: ["http/web/portal/", "http/web/operators/"] },
  { name: "preact-iso", in: ["http/web/portal/", "http/web/operators/"] },
  { name: "@preact/signals", in: ["http/web/portal/", "http/web/operators/"] },
  { name: "uplot", in: ["http/web/portal/"] },
  { name: "@simplewebauthn/browser", in: ["http/web/portal/"] },
  { name: "opossum", in: ["http/gateway/"] },
  { name: "nodemailer", in: ["http/mail/"] },
];

/** What must not be written in these folders; strings and comments aside. */
const WORDS: { in: string[]; but?: string[]; pattern: RegExp; why: string }[] = [
  {
    in: ["engine/"],
    pattern: /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bhrtime\b/,
    why: "time comes with events and the clock port",
  },
  { in: ["engine/"], pattern: /\bset(?:Timeout|Interval|Immediate)\b/, why: "deadlines are data, the runtime's wheel fires them" },
  {
    in: [
      "storage/bus/",
      "storage/feed/",
      "storage/activity/",
      ...[
        "cluster/cluster",
        "shard/running-shard",
        "shard/shard",
        "shard/shard-bus",
        "boot/lifecycle",
        "cluster/shard-stream",
        "wiring/terminals/terminals",
      ].map((name) => `infra/node/${name}.ts`),
    ],
    pattern: /\b(?:set|clear)(?:Timeout|Interval|Immediate)\b|\bperformance\.now\b/,
    why: "what has to be simulated takes its time from the ports clock and timers",
  },
  { in: ["engine/"], pattern: /\bMath\.random\b|\brandomUUID\b|\bcrypto\b/, why: "ids come from their port" },
  { in: ["engine/"], pattern: /\bprocess\b|\bconsole\b/, why: "the engine knows no process" },
  {
    in: ["engine/", "http/", "storage/"],
    // The child process is given the environment that its parent has; uWebSockets.js has a setting that can be given to it in no other way.
    but: ["storage/clickhouse/embedded/supervisor.ts", "http/server/uws.ts"],
    pattern: /\bprocess\.env\b/,
    why: "configuration is read once, in infra",
  },
  { in: ["http/", "storage/"], pattern: /\bconsole\.\w+\(/, why: "logs are told to the composition root" },
  {
    in: ["engine/", "http/", "storage/", "infra/", "bench/", "test/"],
    pattern: /:\s*any\b(?=\s*[;,)=|[}])|<any\b|\bany>|\bas any\b|\bany\[\]/,
    why: "no any",
  },
  {
    in: ["engine/", "http/", "storage/", "infra/", "bench/", "test/"],
    pattern: /\bas unknown as\b/,
    why: "a cast through unknown hides an error",
  },
  { in: ["engine/", "http/", "storage/", "infra/", "bench/"], pattern: /\bexport default\b|\bexport \*/, why: "named exports, no barrels" },
  { in: ["engine/", "http/", "storage/", "infra/", "bench/"], pattern: /\benum \w+/, why: "unions instead of enums" },
  { in: ["test/", "bench/test/"], pattern: /\b(?:test|describe|it)\.only\(|\bonly: true\b/, why: "a test that silences the others" },
];

/** Comments that switch a check off. */
const SUPPRESSIONS = /@ts-ignore|@ts-nocheck|eslint-disable/;

const FORBIDDEN_NAMES = /(?:^|[.-])(?:utils?|helpers?|common|misc|manager|impl)(?:[.-]|$)/;
/** The texts of a page have the language in the name: `users.en.ts`. */
const KEBAB_CASE = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:(?:\.[a-z]+)?\.test|\.en|\.it)?\.(?:tsx?|mts|mjs|d\.ts)$/;

for (const { folder, mayImport } of DIRECTIONS) {
  test(`${folder} imports ${mayImport.length === 0 ? "nothing else" : `only ${mayImport.join(", ")}`}`, () => {
    const more = DIRECTIONS.filter((other) => other.folder !== folder && other.folder.startsWith(folder)).map((other) => other.folder);
    const files = PRODUCT.filter(({ path }) => path.startsWith(folder) && !isIn(path, more));
    assert.ok(files.length > 0, "there are no such files: the table is out of date");
    const offences = files.flatMap(({ path, imports }) =>
      imports
        .filter((name) => isOurs(name) && !name.startsWith(folder) && !allows(mayImport, name))
        .map((name) => `${path} imports ${name}`),
    );
    assert.deepEqual(offences, []);
  });
}

for (const [index, subject] of SUBJECTS.entries()) {
  const before = SUBJECTS.slice(0, index);
  test(`engine/${subject}/ imports ${index === 0 ? "no other subject" : `only ${before.join(", ")}`}`, () => {
    const files = PRODUCT.filter(({ path }) => path.startsWith(`engine/${subject}/`));
    assert.ok(files.length > 0, "there are no such files: the table is out of date");
    assert.deepEqual(offending(files, "engine/", [subject, ...before]), []);
  });
}

for (const [index, parts] of NODE_PARTS.entries()) {
  for (const part of parts) {
    const before = NODE_PARTS.slice(0, index).flat();
    test(`infra/node/${part}/ imports ${index === 0 ? "no other part of the node" : `only ${before.join(", ")}`}`, () => {
      const files = PRODUCT.filter(({ path }) => path.startsWith(`infra/node/${part}/`));
      assert.ok(files.length > 0, "there are no such files: the table is out of date");
      assert.deepEqual(offending(files, "infra/node/", [part, ...before]), []);
    });
  }
}

test("every file of the engine lies in a subject, and every one of a node in a part of it", () => {
  const places = [...SUBJECTS.map((subject) => `engine/${subject}/`), ...NODE_PARTS.flat().map((part) => `infra/node/${part}/`)];
  const astray = PRODUCT.filter(({ path }) => isIn(path, ["engine/", "infra/node/"]) && !isIn(path, [...places, "infra/node/main.ts"]));
  assert.deepEqual(
    astray.map(({ path }) => path),
    [],
  );
});

test("in the engine only stores, the outbox and attention import kernel/kv.ts", () => {
  const offences = PRODUCT.filter(({ path, imports }) => path.startsWith("engine/") && imports.includes(KV) && !isOnKv(path));
  assert.deepEqual(
    offences.map(({ path }) => path),
    [],
  );
});

test("http knows of stores only their types, and never the key-value store", () => {
  const offences = PRODUCT.filter(({ path }) => path.startsWith("http/")).flatMap(({ path, imports, loads }) =>
    imports
      .filter((name) => name === KV || (name.startsWith("engine/") && isOnKv(name) && loads.includes(name)))
      .map((name) => `${path} imports ${name}`),
  );
  assert.deepEqual(offences, []);
});

/** Data that pages and the relay share: the words and limits of a subject, and the filters of a list. */
const SHARED_DATA = [/^engine\/[a-z-]+\/words\.ts$/, /^http\/surfaces\/merchant\/[a-z-]+\/list\.ts$/];

const isSharedData = (path: string) => SHARED_DATA.some((pattern) => pattern.test(path));

/** Small files: permissions, limits, the decimals of currencies, reasons of declines, and the columns of exports. */
const LOADED_BY_PAGES: ReadonlySet<string> = new Set([
  "engine/access/administrator-role.ts",
  "engine/access/machine-token.ts",
  "engine/access/merchant-user-grant.ts",
  "engine/branding/colors.ts",
  "engine/kernel/limits.ts",
  "engine/kernel/money.ts",
  "engine/kernel/money-text.ts",
  "engine/payments/declines.ts",
  "http/surfaces/merchant/exports/columns.ts",
  "http/surfaces/merchant/sorts.ts",
]);

const PAGES = ["http/web/portal/", "http/web/operators/"];

test("loads in pages only shared data and the listed files of the relay", () => {
  const offences = PRODUCT.filter(({ path }) => isIn(path, PAGES)).flatMap(({ path, loads }) =>
    loads
      .filter((name) => isOurs(name) && !isIn(name, PAGES) && !LOADED_BY_PAGES.has(name) && !isSharedData(name))
      .map((name) => `${path} loads ${name}`),
  );
  assert.deepEqual(offences, []);
});

test("loads in shared data only other shared data", () => {
  const offences = PRODUCT.filter(({ path }) => isSharedData(path)).flatMap(({ path, loads }) =>
    loads.filter((name) => !isSharedData(name)).map((name) => `${path} loads ${name}`),
  );
  assert.deepEqual(offences, []);
});

test("no file imports itself by way of others", () => {
  assert.deepEqual(circles(), []);
});

test("only infra, bench and test import infra, and only tests import test", () => {
  const offences = ALL.flatMap(({ path, imports }) =>
    imports
      .filter(
        (name) =>
          (name.startsWith("infra/") && !isIn(path, ["infra/", "bench/", "test/"])) ||
          (name.startsWith("test/") && !isIn(path, ["test/", "bench/test/"])),
      )
      .map((name) => `${path} imports ${name}`),
  );
  assert.deepEqual(offences, []);
});

test("the engine imports xstate and nothing else", () => {
  const offences = PRODUCT.filter(({ path }) => path.startsWith("engine/")).flatMap(({ path, imports }) =>
    imports.filter((name) => !isOurs(name) && name !== "xstate").map((name) => `${path} imports ${name}`),
  );
  assert.deepEqual(offences, []);
});

for (const { name, in: places } of PACKAGES) {
  test(`${name} is imported only in ${places.join(", ")}`, () => {
    const offences = PRODUCT.filter(({ path, imports }) => !isIn(path, places) && imports.some((imported) => isIn(imported, [name])));
    assert.deepEqual(
      offences.map(({ path }) => path),
      [],
    );
  });
}

for (const { in: places, but = [], pattern, why } of WORDS) {
  test(`${why}: no ${pattern.source} in ${places.join(", ")}`, () => {
    const offences = ALL.filter(({ path, code }) => isIn(path, places) && !isIn(path, [...but, "test/tidy/"]) && pattern.test(code));
    assert.deepEqual(
      offences.map(({ path, code }) => `${path}: ${pattern.exec(code)?.[0]}`),
      [],
    );
  });
}

test("the tables above allow nothing that nobody needs", () => {
  const unneeded = [
    ...DIRECTIONS.flatMap(({ folder, mayImport }) =>
      mayImport
        .filter((place) => !importsOf(folder).some((name) => allows([place], name)))
        .map((place) => `${folder} imports nothing of ${place}`),
    ),
    ...PACKAGES.flatMap(({ name, in: places }) =>
      places
        .filter((place) => !importsOf(place).some((imported) => isIn(imported, [name])))
        .map((place) => `${place} does not import ${name}`),
    ),
    ...WORDS.flatMap(({ but = [], pattern }) =>
      but
        .filter((path) => !ALL.some((file) => file.path === path && pattern.test(file.code)))
        .map((path) => `${path} has no ${pattern.source}`),
    ),
  ];
  assert.deepEqual(unneeded, []);
});

test("no check of the compiler or the lint is switched off", () => {
  const offences = ALL.filter(({ path }) => !path.startsWith("test/tidy/") && SUPPRESSIONS.test(readFileSync(path, "utf8")));
  assert.deepEqual(
    offences.map(({ path }) => path),
    [],
  );
});

test("files are named in kebab-case, for what they do", () => {
  const names = ALL.map(({ path }) => path).filter((path) => !KEBAB_CASE.test(basename(path)) || FORBIDDEN_NAMES.test(basename(path)));
  assert.deepEqual(names, []);
});

test("imports name the file with its ending", () => {
  const offences = ALL.flatMap(({ path, imports }) =>
    imports.filter((name) => isOurs(name) && !/\.(?:tsx?|mjs|json)$/.test(name)).map((name) => `${path} imports ${name}`),
  );
  assert.deepEqual(offences, []);
});

function importsOf(folder: string): string[] {
  return PRODUCT.filter(({ path }) => isIn(path, [folder])).flatMap(({ imports }) => imports);
}

function isOnKv(path: string): boolean {
  return ON_KV.some((pattern) => pattern.test(path));
}

/** What these files import of a divided folder that lies in none of the allowed parts. */
function offending(files: readonly SourceFile[], folder: string, allowed: readonly string[]): string[] {
  const places = allowed.map((part) => `${folder}${part}/`);
  return files.flatMap(({ path, imports }) =>
    imports.filter((name) => name.startsWith(folder) && !isIn(name, places)).map((name) => `${path} imports ${name}`),
  );
}

/** Imports that lead back to where they began, types too; each as the files on the way. */
function circles(): string[] {
  const files = new Map(PRODUCT.map(({ path, imports }) => [path, imports]));
  const done = new Set<string>();
  const way: string[] = [];
  const found: string[] = [];
  const visit = (path: string): void => {
    if (way.includes(path)) found.push([...way.slice(way.indexOf(path)), path].join(" -> "));
    if (done.has(path) || way.includes(path)) return;
    way.push(path);
    for (const imported of files.get(path) ?? []) visit(imported);
    way.pop();
    done.add(path);
  };
  for (const path of files.keys()) visit(path);
  return found;
}

function isOurs(name: string): boolean {
  return isIn(name, ["engine/", "http/", "storage/", "infra/", "bench/", "test/"]);
}

/** A place that ends with a star means the files of that folder, not its folders. */
function allows(places: readonly string[], name: string): boolean {
  return places.some((place) => (place.endsWith("*") ? new RegExp(`^${place.slice(0, -1)}[^/]+$`).test(name) : isIn(name, [place])));
}
