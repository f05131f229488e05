export interface HeatTableProps {
  /** The subject of the table, for screen readers. */
  caption: string;
  columns: readonly { label: string; short: string }[];
  rows: readonly { label: string; values: readonly number[] }[];
  rowsTitle: string;
  format: (value: number) => string;
  /** The texts at the ends of the scale. */
  few: string;
  many: string;
}

/** People cannot distinguish more colours. */
const LEVELS = 5;

/** Shows a table in which larger figures have darker cells. The cells also contain the figures. */
export function HeatTable({ caption, columns, rows, rowsTitle, format, few, many }: HeatTableProps) {
  const most = Math.max(0, ...rows.flatMap(({ values }) => values));
  return (
    <div class="heat">
      <table class="heat-table">
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">
              <span class="visually-hidden">{rowsTitle}</span>
            </th>
            {columns.map(({ label, short }) => (
              <th key={label} scope="col">
                <span aria-hidden="true">{short}</span>
                <span class="visually-hidden">{label}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ label, values }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {values.map((value, index) => (
                <td key={columns[index]?.label} class={`heat-${levelOf(value, most)}`}>
                  {value === 0 ? "–" : format(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="heat-scale" aria-hidden="true">
        {few}
        {Array.from({ length: LEVELS }, (_, index) => `heat-${index + 1}`).map((level) => (
          <span key={level} class={`heat-key ${level}`} />
        ))}
        {many}
      </p>
    </div>
  );
}

/** Returns 0 for nothing, otherwise 1 to LEVELS. */
function levelOf(value: number, most: number): number {
  return value <= 0 ? 0 : Math.max(1, Math.ceil((value / most) * LEVELS));
}
