import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";

export interface Column<Row> {
  key: string;
  header: string;
  cell: (row: Row) => ComponentChildren;
  /** Numbers and amounts stand at the right, so that their digits are below each other. */
  align?: "right";
  /** The header is a button that sorts by it. */
  sortable?: boolean;
  /** Left out of the cards of a phone. */
  deskOnly?: boolean;
}

export interface Sorting {
  key: string;
  direction: "ascending" | "descending";
}

export interface TableProps<Row> {
  /** What it lists, for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Opens a row. The first cell then is a button, so that the keyboard reaches it; the mouse may take the whole row. */
  onOpen?: ((row: Row) => void) | undefined;
  /** On a phone each row takes two lines of two cells instead of one for each cell: cells that are not `deskOnly` are four. */
  phone?: "cards" | "lines";
  sorting?: Sorting | null;
  onSort?: (sorting: Sorting) => void;
}

/** A table of the browser; on a phone each row is a card with the headers beside its cells. */
export function Table<Row>({ caption, columns, rows, keyOf, onOpen, phone = "cards", sorting = null, onSort }: TableProps<Row>) {
  return (
    <table class={`table${onOpen === undefined ? "" : " table-opens"}${phone === "lines" ? " table-lines" : ""}`}>
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th
              key={column.key}
              scope="col"
              class={column.align === "right" ? "cell-right" : undefined}
              aria-sort={sorting?.key === column.key ? sorting.direction : undefined}
            >
              {column.sortable === true && onSort !== undefined ? <SortButton {...{ column, sorting, onSort }} /> : column.header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr
            key={keyOf(row)}
            onClick={(event) => {
              if (onOpen !== undefined && !isControl(event.target)) onOpen(row);
            }}
          >
            {columns.map((column, index) => (
              <td
                key={column.key}
                data-label={column.header}
                class={`${column.align === "right" ? "cell-right" : ""}${column.deskOnly === true ? " cell-desk" : ""}`.trim() || undefined}
              >
                {index === 0 && onOpen !== undefined ? (
                  <button type="button" class="row-button" aria-haspopup="dialog" onClick={() => onOpen(row)}>
                    {column.cell(row)}
                  </button>
                ) : (
                  column.cell(row)
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function SortButton<Row>({
  column,
  sorting,
  onSort,
}: {
  column: Column<Row>;
  sorting: Sorting | null;
  onSort: (sorting: Sorting) => void;
}) {
  const present = sorting?.key === column.key ? sorting.direction : null;
  return (
    <button
      type="button"
      class="sort-button"
      onClick={() => onSort({ key: column.key, direction: present === "descending" ? "ascending" : "descending" })}
    >
      {column.header}
      {present !== null && <Icon name={present === "ascending" ? "sortUp" : "sortDown"} size={14} />}
    </button>
  );
}

/** Whether a click was meant for something inside the row. */
function isControl(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("a, button, input, select, label") !== null;
}
