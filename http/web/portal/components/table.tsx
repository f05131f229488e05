import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { useColumnRoom } from "./column-room.ts";
import type { Sorting } from "../list/declaration.ts";
import { Icon } from "./icon.tsx";
import { PRIORITY_LOW } from "./leaving-order.ts";

export interface Column<Row> {
  key: string;
  header: string;
  cell: (row: Row) => ComponentChildren;
  /** Numbers and amounts are aligned to the right, so that their digits line up. */
  align?: "right";
  /** The header is a button that sorts the rows. */
  sortable?: boolean;
  /**
   * Where there is no room, columns of priority 3 leave first, then those of 2, the usual one. A
   * column of 1 never leaves. The cards of a phone have no columns of 3. The drawer of a row shows
   * what has left, so the columns of a table without drawers stay.
   */
  priority?: 1 | 2 | 3;
}

export interface TableProps<Row> {
  /** The subject of the table, for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /**
   * Opens a row. The first cell then is a button for the keyboard, and a click anywhere in the row
   * works.
   */
  onOpen?: ((row: Row) => void) | undefined;
  /**
   * `lines` shows each row of a phone in two lines of two cells, for four cells that a phone shows.
   * `cards` gives each cell a line.
   */
  phone?: "cards" | "lines";
  sorting?: Sorting | null;
  onSort?: ((sorting: Sorting) => void) | undefined;
}

/**
 * A table, or on a phone a card for each row with the headers beside the cells. A table without
 * drawers scrolls inside of its place if its columns have no room.
 */
export function Table<Row>({ caption, columns, rows, keyOf, onOpen, phone = "cards", sorting = null, onSort }: TableProps<Row>) {
  const place = useRef<HTMLDivElement>(null);
  const { shown, scrolls } = useColumnRoom(place, columns, onOpen !== undefined);
  return (
    <div ref={place} class="table-place" {...(scrolls ? { role: "region", "aria-label": caption, tabIndex: 0 } : {})}>
      <table class={`table${onOpen === undefined ? "" : " table-opens"}${phone === "lines" ? " table-lines" : ""}`}>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {shown.map((column) => (
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
              {shown.map((column, index) => (
                <td
                  key={column.key}
                  data-label={column.header}
                  class={
                    `${column.align === "right" ? "cell-right" : ""}${onOpen !== undefined && column.priority === PRIORITY_LOW ? " cell-desk" : ""}`.trim() ||
                    undefined
                  }
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
    </div>
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

/** Whether a click was meant for a control inside the row. */
function isControl(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("a, button, input, select, label") !== null;
}
