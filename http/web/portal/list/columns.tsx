import type { ComponentType, VNode } from "preact";
import { Amount } from "../components/amount.tsx";
import { Badge, type BadgeKind } from "../components/badge.tsx";
import { Clip } from "../components/clip.tsx";
import { DueTime } from "../components/due-time.tsx";
import type { Column } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import type { Catalogue } from "../i18n/en.ts";
import { text } from "../i18n/texts.ts";

type With<Key extends string, Value> = { readonly [Name in Key]: Value };

export interface Money {
  readonly amountMinor: number;
  readonly currency: string;
}

/** The usual columns of lists. Each checks that the rows have its member. */
export const c = {
  word: <Key extends string, Word extends string>(
    key: Key,
    header: string,
    words: Readonly<Record<Word, string>>,
  ): Column<With<Key, Word>> => ({ key, header, cell: (row) => words[row[key]] }),

  /** A text that is cut where there is no room. `look`: classes of its width and font. */
  clip: <Key extends string>(key: Key, header: string, look = ""): Column<With<Key, string | null>> => ({
    key,
    header,
    cell: (row) => <Clip look={look}>{row[key] ?? "–"}</Clip>,
  }),

  amount: (header: string): Column<Money> => c.amountOf(header, (row) => row),

  amountOf: <Row,>(header: string, of: (row: Row) => Money): Column<Row> => ({
    key: "amount",
    header,
    align: "right",
    priority: 1,
    cell: (row) => <Amount minor={of(row).amountMinor} currency={of(row).currency} strong />,
  }),

  state: <Key extends string, State extends string>(
    key: Key,
    header: string,
    Shown: ComponentType<{ state: State }>,
  ): Column<With<Key, State>> => ({ key, header, priority: 1, cell: (row) => <Shown state={row[key]} /> }),

  time: <Key extends string>(key: Key, header: string, as?: "date"): Column<With<Key, string>> => ({
    key,
    header,
    cell: (row) => <Time at={row[key]} {...(as === undefined ? {} : { as })} />,
  }),

  /** How long there is to respond, as long as somebody can. */
  due: <Row extends { readonly respondBy: string }>(header: string, isOpen: (row: Row) => boolean): Column<Row> => ({
    key: "due",
    header,
    cell: (row) => (isOpen(row) ? <DueTime until={row.respondBy} /> : "–"),
  }),
};

/** The column leaves first where there is no room, and the cards of a phone leave it out. */
export function desk<Row>(column: Column<Row>): Column<Row> {
  return { ...column, priority: 3 };
}

/** The column stays, however little room there is. */
export function keep<Row>(column: Column<Row>): Column<Row> {
  return { ...column, priority: 1 };
}

/** Makes the badge of a subject's states. */
export function stateBadge<State extends string>(
  words: (all: Catalogue) => Readonly<Record<State, string>>,
  tones: Readonly<Record<State, BadgeKind>>,
): (props: { state: State }) => VNode {
  return ({ state }) => <Badge kind={tones[state]}>{words(text())[state]}</Badge>;
}
