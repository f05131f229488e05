import { type SchemaOptions, type Static, type TArray, type TNull, type TObject, type TSchema, type TUnion, Type } from "@sinclair/typebox";
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
  /** Without a context it writes for a webhook. */
  write(value: V, record: R, context: C | null): unknown;
  /** Why webhooks must not contain the member; null if they may. */
  readonly webhookRefusal: string | null;
}

/** A member of a resource: its schema, and how its value comes from a record. */
export class Member<R extends object, C extends ResourceContext, S extends TSchema, V, Named extends Suffix | null> {
  readonly parts: MemberParts<R, C, S, V, Named>;

  constructor(parts: MemberParts<R, C, S, V, Named>) {
    this.parts = parts;
  }

  /** Reads the value by a function. A webhook cannot contain what depends on the context. */
  from(read: (record: R, context: C) => V): Member<R, C, S, V, null> {
    const webhookRefusal = read.length > 1 ? "it depends on the request" : this.parts.webhookRefusal;
    return new Member<R, C, S, V, null>({ ...this.parts, named: null, read, webhookRefusal });
  }

  /** Shows null if the value is null. */
  orNull(): Member<R, C, TUnion<[S, TNull]>, V | null, Named> {
    return this.#or(Type.Union([this.parts.schema, Type.Null()]), null);
  }

  /** Leaves the member out if the value is undefined. */
  orAbsent() {
    return this.#or(Type.Optional(this.parts.schema), undefined);
  }

  #or<T extends TSchema, Empty extends null | undefined>(schema: T, empty: Empty): Member<R, C, T, V | Empty, Named> {
    const { named, webhookRefusal, ...parts } = this.parts;
    const isEmpty = (value: V | Empty): value is Empty => value === empty;
    return new Member<R, C, T, V | Empty, Named>({
      ...{ schema, named, webhookRefusal },
      write: (value, record, context) => (isEmpty(value) ? empty : parts.write(value, record, context)),
    });
  }

  /**
   * Masks the value for callers that may not see the data of people. Nothing else in a resource
   * masks.
   */
  personal(mask: (value: V, record: R, context: C) => ReadonlyDeep<Static<S>>): Member<R, C, S, V, Named> {
    const { write } = this.parts;
    return new Member<R, C, S, V, Named>({
      ...this.parts,
      write: (value, record, context) => {
        if (context === null) throw new Error("Webhooks must not contain personal data");
        return (maySeePersonalData(context.caller) ? write : mask)(value, record, context);
      },
      webhookRefusal: "it is personal",
    });
  }

  /** Without a context it returns what a webhook contains. */
  json(name: string, record: R, context: C | null): unknown {
    const { named, read, write } = this.parts;
    // `resource` requires the record to have the value. Readers for webhooks take no context.
    const value = read === undefined ? (Reflect.get(record, `${name}${named ?? ""}`) as V) : read(record, context as C);
    return write(value, record, context);
  }
}

/** A member whose value is of an unknown type. */
type AnyMember<R extends object, C extends ResourceContext> = Member<R, C, TSchema, unknown, Suffix | null>;

/** Requires the record to have a value of the right type for each member without a reader. */
type Readable<R extends object, C extends ResourceContext, M> = {
  [K in keyof M]: M[K] extends Member<R, C, TSchema, infer V, infer N extends Suffix>
    ? R extends { readonly [Name in `${K & string}${N}`]: V }
      ? unknown
      : { readonly recordLacks: `${K & string}${N}` }
    : unknown;
};

type Schema<M, N extends Names<M>> = TObject<{
  [K in N[number][number]]: M[K] extends { readonly parts: { readonly schema: infer S extends TSchema } } ? S : never;
}>;

/** Names of members in rows, which keep long lists readable. */
type Names<M> = readonly (readonly (keyof M & string)[])[];

interface Declaration<M, Full extends Names<M>, Item extends Names<M>, R, C> {
  /** The title of the schema. A schema without a title is repeated where it is used. */
  readonly title?: string;
  readonly itemTitle?: string;
  readonly description?: string;
  readonly members: M;
  /**
   * The members of each view in the order of documents and responses. By default `full` has all
   * members, and `item` equals `full`.
   */
  readonly views?: { readonly full?: Full; readonly item?: Item; readonly webhook?: Names<M> };
  /** Without it the examples are empty. */
  readonly example?: { readonly record: R; readonly context: C };
}

/** A resource as a part of another one. */
interface Part<R, C, S extends TSchema> {
  readonly schema: S;
  readonly webhookRefusal: string | null;
  json(record: R, context: C): Static<S>;
  webhook(record: R): object;
}

/**
 * Returns the kinds of members of resources with records `R` and contexts `C`, and the function
 * that declares one.
 */
export function resourceOf<R extends object, C extends ResourceContext = ResourceContext>() {
  function member<S extends TSchema, V, N extends Suffix>(schema: S, named: N, write: (value: V) => unknown): Member<R, C, S, V, N> {
    return new Member<R, C, S, V, N>({ schema, named, write, webhookRefusal: null });
  }
  const value = <S extends TSchema>(schema: S) => member(schema, "", (found: ReadonlyDeep<Static<S>>) => found);
  const partOf = <N, S extends TSchema>(of: Part<N, C, S>, one: N, context: C | null) =>
    context === null ? of.webhook(one) : of.json(one, context);
  return {
    /** Shows the value as it is. */
    value,
    text: (description?: string) => value(Type.String(optional({ description }))),
    integer: (description?: string) => value(Type.Integer(optional({ description }))),
    boolean: (description?: string) => value(Type.Boolean(optional({ description }))),
    /** Shows milliseconds since the epoch as a time. */
    time: (description: string) => member(Type.String({ description: `ISO 8601 in UTC: ${description}` }), "Ms", iso),
    nested: <N extends object, S extends TSchema>(of: Part<N, C, S>) =>
      new Member<R, C, S, N, "">({
        ...{ schema: of.schema, named: "", webhookRefusal: of.webhookRefusal },
        write: (found, _, context) => partOf(of, found, context),
      }),
    list: <N extends object, S extends TSchema>(of: Part<N, C, S>, description?: string) =>
      new Member<R, C, TArray<S>, readonly N[], "">({
        ...{ schema: Type.Array(of.schema, optional({ description })), named: "", webhookRefusal: of.webhookRefusal },
        write: (found, _, context) => found.map((one) => partOf(of, one, context)),
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

/** Returns the options that are there: TypeBox copies members that are undefined. */
function optional(options: { readonly title?: string | undefined; readonly description?: string | undefined }): SchemaOptions {
  return Object.fromEntries(Object.entries(options).filter(([, text]) => text !== undefined));
}

function declared<
  R extends object,
  C extends ResourceContext,
  M extends { readonly [name: string]: AnyMember<R, C> },
  Full extends Names<M>,
  Item extends Names<M>,
>({ title, itemTitle = title, description, members, views = {}, example }: Declaration<M, Full, Item, R, C>) {
  const chosen = (names: Names<M>) => names.flat().flatMap((name) => Object.entries(members).filter(([one]) => one === name));
  const webhook = chosen(views.webhook ?? []);
  for (const [name, { parts }] of webhook) {
    if (parts.webhookRefusal !== null) throw new Error(`${title}: webhooks must not contain ${name}: ${parts.webhookRefusal}`);
  }
  const jsonOf = (view: typeof webhook, record: R, context: C | null) =>
    Object.fromEntries(view.map(([name, one]) => [name, one.json(name, record, context)]));
  function viewOf<N extends Names<M>>(names: Names<M>, viewTitle: string | undefined) {
    const view = chosen(names);
    const schemas = Object.fromEntries(view.map(([name, { parts }]) => [name, parts.schema]));
    return {
      // Object.fromEntries loses the types of the members.
      schema: Type.Object(schemas, optional({ title: viewTitle, description })) as Schema<M, N>,
      json: (record: R, context: C) => jsonOf(view, record, context) as Static<Schema<M, N>>,
      example: (example === undefined ? {} : jsonOf(view, example.record, example.context)) as Static<Schema<M, N>>,
    };
  }
  const all = views.full ?? [Object.keys(members)];
  return {
    ...viewOf<Full>(all, title),
    /** The view of lists. */
    item: viewOf<Item>(views.item ?? all, itemTitle),
    webhookRefusal: views.webhook === undefined ? "it has no view for webhooks" : null,
    webhook: (record: R): object => jsonOf(webhook, record, null),
  };
}

/**
 * Returns a record as the events about it contain it. It is stored when they happen, and never
 * changes.
 */
export function webhookObject<R extends { readonly id: string; readonly livemode: boolean }>(
  object: string,
  { webhook }: { webhook(record: R): object },
  record: R,
): object {
  return { id: record.id, object, environment: record.livemode ? "LIVE" : "TEST", ...webhook(record) };
}
