import { OptionalKind, type TSchema } from "@sinclair/typebox";

/**
 * Values of the sandbox by the name of the member, so that examples of several operations fit
 * together.
 */
const BY_NAME: Readonly<Record<string, unknown>> = {
  terminalId: "SIM00001",
  terminalID: "SIM00001",
  targetTerminalId: "SIM00001",
  id: "7d9f0a52-6c2e-4a83-9f5d-2c1d0d1b8f11",
  uuid: "7d9f0a52-6c2e-4a83-9f5d-2c1d0d1b8f11",
  requestId: "0a1b2c3d4e5f-1",
  amount: 1050,
  currency: "EUR",
  service: "PAYCC",
  merchantId: "SHOP-001",
  merchantName: "Bar Centrale",
  username: "anna",
  name: "Example",
  email: "anna@shop.example",
  url: "https://shop.example/hook",
  origin: "https://shop.example",
  ipAddress: "192.0.2.10",
  locale: "en",
  code: "123456",
  versionName: "2.4.0",
  versionCode: 240,
  limit: 50,
  page: 1,
  total: 1,
  count: 1,
  amountCents: 1050,
  amountTotal: 1050,
  amount_captured: 1050,
  amount_received: 1050,
  amount_total: 1050,
  created: 1_768_473_000,
  brand: "VISA",
  maskedPan: "453201******0366",
  pan: "453201******0366",
  authCode: "123456",
  stan: "000123",
  actionCode: "00",
  message: "Approved",
  description: "Order 42",
  server: "relay-1",
  appVersion: "2.4.0",
  deviceModel: "A920",
  userAgent: "TerminalApp/2.4.0",
  lastSeen: "2026-01-15T10:30:00.000Z",
  lastActivity: "2026-01-15T10:30:00.000Z",
};

/**
 * Matches members that exist only after a failure. An example has null for them if the schema
 * permits it.
 */
const OF_FAILURES = /^(?:failure|cancel|last_payment_error|inactive|network_|advice_|denied|disputed|lastError|problem)/;

/** Candidates for other texts. The first one that the schema accepts is used. */
const TEXTS: readonly string[] = [
  "example",
  "Example",
  "EXAMPLE",
  "SIM00001",
  "2026-01-15T10:30:00.000Z",
  "2026-01-15T10:30:00Z",
  "2026-01-15",
  "10:30",
  "7d9f0a52-6c2e-4a83-9f5d-2c1d0d1b8f11",
  "https://shop.example/",
  "anna@shop.example",
  "en",
  "eur",
  "EUR",
  "1050",
  "1",
  "0123456789abcdef",
  "0123456789abcdef0123456789abcdef",
  "0".repeat(64),
  "evt_0123456789abcdef01234567",
];

/**
 * Returns a value that the schema accepts, for the OpenAPI document if no example is written: the
 * first alternative, each member once, a list with one item. Returns undefined if it finds none.
 * Equal schemas give equal values.
 */
export function exampleOf(schema: TSchema, name = ""): unknown {
  for (const written of [schema["example"], schema["examples"]?.[0], schema["const"], schema["default"], schema["enum"]?.[0]]) {
    if (written !== undefined) return written;
  }
  if (OF_FAILURES.test(name) && takesNull(schema)) return null;
  for (const alternative of schema["anyOf"] ?? schema["oneOf"] ?? []) {
    const example = exampleOf(alternative, name);
    if (example !== undefined) return example;
  }
  const type = Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"];
  switch (type) {
    case "object":
      return exampleOfObject(schema);
    case "array":
      return exampleOfList(schema, name);
    case "integer":
    case "number":
      return exampleOfNumber(schema, name);
    case "boolean":
      return !OF_FAILURES.test(name);
    case "null":
      return null;
    case "string":
      return exampleOfText(schema, name);
    default:
      return {};
  }
}

function takesNull(schema: TSchema): boolean {
  if (schema["type"] === "null" || (Array.isArray(schema["type"]) && schema["type"].includes("null"))) return true;
  return (schema["anyOf"] ?? []).some(takesNull);
}

function exampleOfObject(schema: TSchema): unknown {
  const example: { [member: string]: unknown } = {};
  for (const [name, member] of Object.entries<TSchema>(schema["properties"] ?? {})) {
    if (member["readOnly"] === true) continue;
    const value = exampleOf(member, name);
    if (value !== undefined) example[name] = value;
    else if (member[OptionalKind] === undefined) return undefined;
  }
  return example;
}

function exampleOfList(schema: TSchema, name: string): unknown {
  const least = schema["minItems"] ?? 0;
  const item = exampleOf(schema["items"] ?? {}, name.replace(/s$/, ""));
  if (item === undefined) return least === 0 ? [] : undefined;
  return schema["maxItems"] === 0 ? [] : Array.from({ length: Math.max(1, least) }, () => item);
}

function exampleOfNumber(schema: TSchema, name: string): number {
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
  const usual = BY_NAME[name];
  // Milliseconds since the epoch.
  const value = typeof usual === "number" ? usual : /(?:AtMs|timestamp)$/i.test(name) ? 1_768_473_000_000 : 1;
  return Math.min(Math.max(value, minimum), maximum);
}

function exampleOfText(schema: TSchema, name: string): string | undefined {
  const usual = BY_NAME[name];
  const candidates = [
    ...(typeof usual === "string" ? [usual] : []),
    ...(/(?:At|Since|Until)$/.test(name) ? ["2026-01-15T10:30:00.000Z"] : []),
    ...TEXTS,
  ];
  const { pattern, minLength = 0, maxLength = Number.MAX_SAFE_INTEGER } = schema;
  const matches = pattern === undefined ? null : new RegExp(pattern, "u");
  const fits = (text: string) =>
    text.length >= minLength && text.length <= maxLength && (matches?.test(text) ?? true) && hasFormat(text, schema["format"]);
  return candidates.find(fits);
}

const FORMATS: Readonly<Record<string, RegExp>> = {
  uuid: /^[0-9a-f-]{36}$/,
  date: /^\d{4}-\d\d-\d\d$/,
  "date-time": /^\d{4}-\d\d-\d\dT/,
  uri: /^https:/,
  email: /@/,
};

function hasFormat(text: string, format: string | undefined): boolean {
  return format === undefined || (FORMATS[format]?.test(text) ?? true);
}
