import { useState } from "preact/hooks";
import { type Action, useAction } from "../../portal/state/action.ts";
import { type Resource, useResource } from "../../portal/state/resource.ts";

/** A list of which more is loaded when it is wanted. */
export interface Pages<Item> {
  first: Resource<Item[]>;
  /** The first page and what was loaded after it. */
  items: readonly Item[];
  hasMore: boolean;
  more: Action<[]>;
}

/**
 * Loads a list page by page: `load` is given the last item that is there, null for the first page. A page shorter than `size` is the last one. `key` names the
 * list: with another one everything begins anew.
 */
export function usePages<Item>(
  key: string,
  size: number,
  load: (last: Item | null, signal?: AbortSignal) => Promise<Item[]>,
  options: { everyMs?: number } = {},
): Pages<Item> {
  const first = useResource(key, (signal) => load(null, signal), options);
  const [older, setOlder] = useState<{ key: string; items: readonly Item[]; isEnd: boolean }>({ key, items: [], isEnd: false });
  const after = older.key === key ? older : { key, items: [], isEnd: false };
  const items = [...(first.data ?? []), ...after.items];
  const more = useAction(async () => {
    const page = await load(items.at(-1) ?? null);
    setOlder({ key, items: [...after.items, ...page], isEnd: page.length < size });
  });
  const isShort = after.items.length === 0 && (first.data?.length ?? 0) < size;
  return { first, items, hasMore: !isShort && !after.isEnd, more };
}
