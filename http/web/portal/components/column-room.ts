import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { leavingOrder, type Ranked } from "./leaving-order.ts";

/** Not rounded, unlike the scroll width, which hides that a column is cut by a pixel. */
const widthOf = (element: Element): number => element.getBoundingClientRect().width;

/**
 * Leaves out columns until the others have room in `place`. `mayLeave`: the rows open an object,
 * which shows what has left. Otherwise `scrolls` says that the place has to scroll.
 */
export function useColumnRoom<Column extends Ranked>(
  place: RefObject<HTMLElement | null>,
  columns: readonly Column[],
  mayLeave: boolean,
): { shown: readonly Column[]; scrolls: boolean } {
  const [{ width, left, scrolls }, set] = useState({ width: 0, left: 0, scrolls: false });
  const order = mayLeave ? leavingOrder(columns) : [];
  useLayoutEffect(() => {
    const { current } = place;
    if (current === null) return;
    const observer = new ResizeObserver(() => {
      // With another width all columns are tried again.
      set((before) => (before.width === current.clientWidth ? before : { width: current.clientWidth, left: 0, scrolls: false }));
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [place]);
  // New rows may need more room, so each render is checked, before it is painted.
  useLayoutEffect(() => {
    const { current } = place;
    const table = current?.firstElementChild;
    if (current === null || table == null || widthOf(table) <= widthOf(current) + 1) return;
    if (left < order.length) set({ width, left: left + 1, scrolls });
    else if (!scrolls) set({ width, left, scrolls: true });
  });
  const gone = new Set(order.slice(0, left));
  return { shown: columns.filter(({ key }) => !gone.has(key)), scrolls };
}
