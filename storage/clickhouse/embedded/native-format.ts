import { CLICKHOUSE_CODE, ClickHouseError } from "./clickhouse-error.ts";
import { type ColumnType, columnType, membersOf } from "./column-type.ts";

/**
 * The engine writes its Native format as revision 0 of ClickHouse's protocol has it. Drivers ask for a later one (`client_protocol_version`), which has more around the
 * same data: something before each block, and since 54454 a byte before the data of each column. The format does not say how long a column is, so that it has to be read.
 */
const ZONE_REVISION = 54_337;
const CUSTOM_SERIALIZATION_REVISION = 54_454;

/** BlockInfo: field 1, whether the rows are those beyond a limit (no); field 2, the number of a bucket (-1, none); the end. */
const BLOCK_INFO = Uint8Array.of(1, 0, 2, 0xff, 0xff, 0xff, 0xff, 0);
/** The column has no serialization of its own. */
const NO_CUSTOM_SERIALIZATION = Uint8Array.of(0);

const WIDTHS: ReadonlyMap<string, number> = new Map([
  ...["UInt8", "Int8", "Bool", "Enum8", "Nothing"].map((name) => [name, 1] as const),
  ...["UInt16", "Int16", "Enum16", "Date", "BFloat16"].map((name) => [name, 2] as const),
  ...["UInt32", "Int32", "Float32", "Date32", "DateTime", "IPv4", "Decimal32", "Time"].map((name) => [name, 4] as const),
  ...["UInt64", "Int64", "Float64", "DateTime64", "Time64", "Decimal64"].map((name) => [name, 8] as const),
  ...["UInt128", "Int128", "UUID", "IPv6", "Decimal128"].map((name) => [name, 16] as const),
  ...["UInt256", "Int256", "Decimal256"].map((name) => [name, 32] as const),
]);

/** Types that are another one by a different name. */
const SAME: ReadonlyMap<string, string> = new Map([
  ["Point", "Tuple(Float64, Float64)"],
  ["Ring", "Array(Point)"],
  ["LineString", "Array(Point)"],
  ["MultiLineString", "Array(LineString)"],
  ["Polygon", "Array(Ring)"],
  ["MultiPolygon", "Array(Polygon)"],
]);

/** Types with any number of values in a row. */
const LISTS = new Set(["Array", "Map", "Nested"]);

/** The largest number of digits that a Decimal of some bytes has. */
const DECIMAL_WIDTHS = [
  [9, 4],
  [18, 8],
  [38, 16],
  [76, 32],
] as const;

/**
 * The body as a client of `revision` reads it. `types` tells the columns' whole types; it is asked where the engine has left out a zone. Throws ClickHouseError for a type
 * whose columns cannot be read here.
 */
export async function nativeOfRevision(bytes: Uint8Array, revision: number, types: () => Promise<readonly string[]>): Promise<Uint8Array> {
  if (revision === 0 || bytes.length === 0) return bytes;
  const reader = new Reader(bytes);
  const parts: Uint8Array[] = [];
  let from = 0;
  let zoned: readonly string[] | undefined;
  const copyTo = (end: number): void => {
    parts.push(bytes.subarray(from, end));
    from = end;
  };
  while (reader.at < bytes.length) {
    parts.push(BLOCK_INFO);
    const columns = reader.number();
    const rows = reader.number();
    for (let column = 0; column < columns; column++) {
      reader.text();
      const typeAt = reader.at;
      const name = reader.text();
      const type = typeOf(name);
      if (name === "DateTime" && revision >= ZONE_REVISION) {
        zoned ??= await types();
        const whole = zoned[column] ?? name;
        copyTo(typeAt);
        // Shorter than 128 bytes, so that its length is one byte.
        parts.push(Uint8Array.of(whole.length), Buffer.from(whole));
        from = reader.at;
      }
      if (revision >= CUSTOM_SERIALIZATION_REVISION) {
        copyTo(reader.at);
        parts.push(NO_CUSTOM_SERIALIZATION);
      }
      if (rows === 0) continue;
      skipPrefix(reader, type);
      skipData(reader, type, rows);
    }
    copyTo(reader.at);
  }
  return Buffer.concat(parts);
}

/** What a column has once, before all data: the version of each LowCardinality. */
function skipPrefix(reader: Reader, type: ColumnType): void {
  if (type.name === "LowCardinality") reader.skip(8);
  for (const nested of nestedOf(type)) skipPrefix(reader, nested);
}

function skipData(reader: Reader, type: ColumnType, rows: number): void {
  // What is empty inside of an array has no data at all.
  if (rows === 0) return;
  const width = widthOf(type);
  if (width !== null) reader.skip(rows * width);
  else if (type.name === "String") reader.skipTexts(rows);
  else if (type.name === "LowCardinality") skipLowCardinality(reader, type);
  else {
    if (type.name === "Nullable") reader.skip(rows);
    const inside = LISTS.has(type.name) ? reader.lastOffset(rows) : rows;
    for (const nested of nestedOf(type)) skipData(reader, nested, inside);
  }
}

/** Which numbers the values are, a dictionary of its own for the block, and the number of each row. */
function skipLowCardinality(reader: Reader, type: ColumnType): void {
  const flags = reader.word();
  const nested = type.arguments.map(typeOf)[0];
  if (nested === undefined || (flags & 0x200n) === 0n || (flags & 0x100n) !== 0n) throw unknown(type);
  // A dictionary holds no null: its first value stands for it.
  const keys = nested.name === "Nullable" ? (nestedOf(nested)[0] ?? nested) : nested;
  skipData(reader, keys, Number(reader.word()));
  reader.skip(Number(reader.word()) * 2 ** Number(flags & 0xffn));
}

function typeOf(text: string): ColumnType {
  return columnType(SAME.get(text) ?? text);
}

function widthOf(type: ColumnType): number | null {
  if (type.name === "FixedString") return Number(type.arguments[0]);
  if (type.name.startsWith("Interval")) return 8;
  if (type.name === "Decimal") {
    const digits = Number(type.arguments[0]);
    return DECIMAL_WIDTHS.find(([most]) => digits <= most)?.[1] ?? null;
  }
  return WIDTHS.get(type.name) ?? null;
}

/** The types whose data a column of this type has, one after the other. Throws ClickHouseError for a type that is not known. */
function nestedOf(type: ColumnType): ColumnType[] {
  if (widthOf(type) !== null || type.name === "String" || type.name === "LowCardinality") return [];
  const [first, ...others] = type.arguments;
  if (first === undefined) throw unknown(type);
  switch (type.name) {
    case "Array":
    case "Nullable":
      return [typeOf(first)];
    case "SimpleAggregateFunction":
      return others.map(typeOf);
    case "Tuple":
    case "Nested":
    case "Map":
      return membersOf(type).map(typeOf);
    default:
      throw unknown(type);
  }
}

function unknown(type: ColumnType): ClickHouseError {
  return new ClickHouseError(
    CLICKHOUSE_CODE.notImplemented,
    "NOT_IMPLEMENTED",
    `Columns of type ${type.name} are not supported in the Native format with 'client_protocol_version'; convert them, or use another format.`,
    501,
  );
}

class Reader {
  at = 0;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  skip(length: number): void {
    this.at += length;
    if (this.at > this.#bytes.length) throw new RangeError("The Native format of the engine ends too early.");
  }

  /** A number of seven bits a byte. */
  number(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.at];
      this.skip(1);
      value += ((byte ?? 0) & 127) * scale;
      if ((byte ?? 0) < 128) return value;
    }
  }

  text(): string {
    const length = this.number();
    const from = this.at;
    this.skip(length);
    return Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + from, length).toString("utf8");
  }

  skipTexts(count: number): void {
    for (let index = 0; index < count; index++) this.skip(this.number());
  }

  word(): bigint {
    const from = this.at;
    this.skip(8);
    return this.#view.getBigUint64(from, true);
  }

  /** Arrays begin with where each of them ends; the last is how much they hold together. */
  lastOffset(rows: number): number {
    this.skip((rows - 1) * 8);
    return Number(this.word());
  }
}
