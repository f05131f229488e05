import { type Static, type TArray, type TNull, type TObject, type TSchema, type TUnion, Type } from "@sinclair/typebox";
import type { Caller } from "../../engine/access/caller.ts";
import type { ReadonlyDeep } from "./endpoint.ts";
import { maySeePersonalData } from "./personal-data.ts";
import { iso } from "./time.ts";

/** The data beside the record that members may use. */
export interface ResourceContext {
  readonly caller: Caller;
}

/** The suffix that the name of a member has in the record. */
type Suffix = "" | "Ms";

interface MemberParts<R, C, S extends TSchema, V, Named extends Suffix | null> {
  readonly schema: S;
  readonly named: Named;
  /** Absent: the record has the value under the name of the member with the suffix `named`. */
  readonly read?: (record: R, context: C) => V;
  write(value: V, record: R, context: C): unknown;
  writeWebhook(value: V): unknown;
  /** Why webhooks must not contain the member; null if they may. */
  readonly webhookRefusal: string | null;
}

/** A member of a resource: its schema, and how its value comes from a record. */
export class Member<R extends object, C extends ResourceContext, S extends TSchema, V, Named extends Suffix | null> {
  readonly schema: S;
  readonly named: Named;
  readonly webhookRefusal: string | null;
  readonly #parts: MemberParts<R, C, S, V, Named>;

  constructor(parts: MemberParts<R, C, S, V, Named>) {
    this.schema = parts.schema;
    this.named = parts.named;
    this.webhookRefusal = parts.webhookRefusal;
    this.#parts = parts;
  }

  /** Reads the value by a function. A webhook cannot contain what depends on the context. */
  from(read: (record: R, context: C) => V): Member<R, C, S, V, null> {
    const webhookRefusal = read.length > 1 ? "it depends on the request" : this.webhookRefusal;
    return new Member<R, C, S, V, null>({ ...this.#parts, named: null, read, webhookRefusal });
  }

  /** Shows null if the value is null. */
  orNull(): Member<R, C, TUnion<[S, TNull]>, V | null, Named> {
    return this.#or(Type.Union([this.schema, Type.Null()]), null);
  }

  /** Leaves the member out if the value is undefined. */
  orAbsent() {
    return this.#or(Type.Optional(this.schema), undefined);
  }

  #or<T extends TSchema, Empty extends null | undefined>(schema: T, empty: Empty): Member<R, C, T, V | Empty, Named> {
    const { named, webhookRefusal, ...parts } = this.#parts;
    const isEmpty = (value: V | Empty): value is Empty => value === empty;
    return new Member<R, C, T, V | Empty, Named>({
      ...{ schema, named, webhookRefusal },
      write: (value, record, context) => (isEmpty(value) ? empty : parts.write(value, record, context)),
      writeWebhook: (value) => (isEmpty(value) ? empty : parts.writeWebhook(value)),
    });
  }

  /** Masks the value for callers that may not see the data of people. Nothing else in a resource masks. */
  personal(mask: (value: V, record: R, context: C) => ReadonlyDeep<Static<S>>): Member<R, C, S, V, Named> {
    const { write } = this.#parts;
    return new Member<R, C, S, V, Named>({
      ...this.#parts,
      write: (value, record, context) => (maySeePersonalData(context.caller) ? write : mask)(value, record, context),
      webhookRefusal: "it is personal",
    });
  }

  json(name: string, record: R, context: C): unknown {
    const { read, write } = this.#parts;
    return write(read === undefined ? this.#valueIn(record, name) : read(record, context), record, context);
  }

  webhookJson(name: string, record: R): unknown {
    const { read, writeWebhook } = this.#parts;
    // `resource` refuses members of webhooks whose reader takes a context.
    const value = read === undefined ? this.#valueIn(record, name) : (read as (record: R) => V)(record);
    return writeWebhook(value);
  }

  /** The type of `resource` requires the record to have it. */
  #valueIn(record: R, name: string): V {
    return Reflect.get(record, `${name}${this.named ?? ""}`) as V;
  }
}

/** A member whose value is of an unknown type. */
interface AnyMember<R, C> {
  readonly schema: TSchema;
  readonly named: Suffix | null;
  readonly webhookRefusal: string | null;
  json(name: string, record: R, context: C): unknown;
  webhookJson(name: string, record: R): unknown;
}

/** Requires the record to have a value of the right type for each member without a reader. */
type Readable<R extends object, C extends ResourceContext, M> = {
  [K in keyof M]: M[K] extends Member<R, C, TSchema, infer V, infer N extends Suffix>
    ? R extends { readonly [Name in `${K & string}${N}`]: V }
      ? unknown
      : { readonly recordLacks: `${K & string}${N}` }
    : unknown;
};

type Schema<M, N extends Names<M>> = TObject<{
  [K in N[number][number]]: M[K] extends { readonly schema: infer S extends TSchema } ? S : never;
}>;

/** Names of members in rows, which keep long lists readable. */
type Names<M> = readonly (readonly (keyof M & string)[])[];

interface Declaration<M, Full extends Names<M>, Item extends Names<M>, R, C> {
  /** The title of the schema. A schema without a title is repeated where it is used. */
  readonly title?: string;
  readonly itemTitle?: string;
  readonly description?: string;
  readonly members: M;
  /** The members of each view in the order of documents and answers. Default: `full` has all, and `item` is as `full`. */
  readonly views?: { readonly full?: Full; readonly item?: Item; readonly webhook?: Names<M> };
  readonly example?: { readonly record: R; readonly context: C };
}

/** A resource as a part of another one. */
interface Part<R, C, S extends TSchema> {
  readonly schema: S;
  readonly webhookRefusal: string | null;
  json(record: R, context: C): Static<S>;
  webhook(record: R): object;
}

/** Returns the kinds of members of resources with records `R` and contexts `C`, and the function that declares one. */
export function resourceOf<R extends object, C extends ResourceContext = ResourceContext>() {
  function member<S extends TSchema, V, N extends Suffix>(schema: S, named: N, write: (value: V) => unknown): Member<R, C, S, V, N> {
    return new Member<R, C, S, V, N>({ schema, named, write, writeWebhook: write, webhookRefusal: null });
  }
  const value = <S extends TSchema>(schema: S) => member(schema, "", (found: ReadonlyDeep<Static<S>>) => found);
  return {
    /** Shows the value as it is. */
    value,
    text: (description?: string) => value(Type.String(described(description))),
    integer: (description?: string) => value(Type.Integer(described(description))),
    boolean: (description?: string) => value(Type.Boolean(described(description))),
    /** Shows milliseconds since the epoch as a time. */
    time: (description: string) => member(Type.String({ description: `ISO 8601 in UTC: ${description}` }), "Ms", iso),
    nested: <N extends object, S extends TSchema>(of: Part<N, C, S>) =>
      new Member<R, C, S, N, "">({
        ...{ schema: of.schema, named: "", webhookRefusal: of.webhookRefusal },
        write: (found, _, context) => of.json(found, context),
        writeWebhook: (found) => of.webhook(found),
      }),
    list: <N extends object, S extends TSchema>(of: Part<N, C, S>, description?: string) =>
      new Member<R, C, TArray<S>, readonly N[], "">({
        ...{ schema: Type.Array(of.schema, described(description)), named: "", webhookRefusal: of.webhookRefusal },
        write: (found, _, context) => found.map((one) => of.json(one, context)),
        writeWebhook: (found) => found.map((one) => of.webhook(one)),
      }),
    resource: <
      M extends { readonly [name: string]: AnyMember<R, C> },
      const Full extends Names<M> = Names<M>,
      const Item extends Names<M> = Full,
    >(
      declaration: Declaration<M, Full, Item, R, C> & { readonly members: Readable<R, C, M> },
    ) => declared<R, C, M, Full, Item>(declaration),
  };
}

function described(description?: string): { description?: string } {
  return description === undefined ? {} : { description };
}

function declared<R, C, M extends { readonly [name: string]: AnyMember<R, C> }, Full extends Names<M>, Item extends Names<M>>(
  declaration: Declaration<M, Full, Item, R, C>,
) {
  const { title, itemTitle = title, members, views = {}, example } = declaration;
  const all = views.full ?? [Object.keys(members)];
  const member = (name: keyof M & string): AnyMember<R, C> => {
    const found = members[name];
    if (found === undefined) throw new Error(`${title}: there is no member ${name}`);
    return found;
  };
  const chosen = (names: Names<M>) => names.flat().map((name) => [name, member(name)] as const);
  const [full, item, webhook] = [chosen(all), chosen(views.item ?? all), chosen(views.webhook ?? [])];
  for (const [name, { webhookRefusal }] of webhook) {
    if (webhookRefusal !== null) throw new Error(`${title}: webhooks must not contain ${name}: ${webhookRefusal}`);
  }
  // Object.fromEntries loses the types of the members.
  const schemaOf = (view: typeof full, schemaTitle: string | undefined) =>
    Type.Object(Object.fromEntries(view.map(([name, { schema }]) => [name, schema])), {
      ...(schemaTitle === undefined ? {} : { title: schemaTitle }),
      ...described(declaration.description),
    });
  const jsonOf = (view: typeof full, record: R, context: C) =>
    Object.fromEntries(view.map(([name, one]) => [name, one.json(name, record, context)]));
  const exampleOf = (view: typeof full) => {
    if (example === undefined) throw new Error(`${title}: there is no example`);
    return jsonOf(view, example.record, example.context);
  };
  return {
    schema: schemaOf(full, title) as Schema<M, Full>,
    itemSchema: schemaOf(item, itemTitle) as Schema<M, Item>,
    json: (record: R, context: C) => jsonOf(full, record, context) as Static<Schema<M, Full>>,
    itemJson: (record: R, context: C) => jsonOf(item, record, context) as Static<Schema<M, Item>>,
    webhookRefusal: views.webhook === undefined ? "it has no view for webhooks" : null,
    webhook: (record: R): object => Object.fromEntries(webhook.map(([name, one]) => [name, one.webhookJson(name, record)])),
    get example() {
      return exampleOf(full) as Static<Schema<M, Full>>;
    },
    get itemExample() {
      return exampleOf(item) as Static<Schema<M, Item>>;
    },
  };
}

/** Returns a record as the events about it contain it. It is stored when they happen, and never changes. */
export function webhookObject<R extends { readonly id: string; readonly livemode: boolean }>(
  object: string,
  { webhook }: { webhook(record: R): object },
  record: R,
): object {
  return { id: record.id, object, environment: record.livemode ? "LIVE" : "TEST", ...webhook(record) };
}
