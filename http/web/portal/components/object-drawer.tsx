import type { ComponentChildren } from "preact";
import { get } from "../api/client.ts";
import { type FailureCode, PortalError } from "../api/errors.ts";
import { useResource } from "../state/resource.ts";
import { Drawer } from "./dialog.tsx";
import { EmptyState } from "./empty-state.tsx";
import { Loaded } from "./panel.tsx";
import { Skeleton } from "./skeleton.tsx";

const LIVE_MS = 5_000;

interface Said {
  title: string;
  text: string;
}

export interface ObjectDrawerProps<T> {
  title: string;
  /** The path of the object in the API, which the address of the page names. */
  path: string;
  /** The text for an object that does not exist. */
  unknown: Said;
  /** Texts for an object that is unavailable, by error code. */
  absent?: Readonly<Partial<Record<FailureCode, Said>>>;
  /** Loads the object again while the page is visible, because it may change. */
  live?: boolean;
  /** Says what is lost if the drawer closes now (`Drawer`). */
  unsaved?: string | null;
  /** Gives room for two columns. */
  wide?: boolean;
  lines?: number;
  onClose: () => void;
  /** Runs after a change, so that the list loads it too. */
  onChanged: () => void;
  /**
   * `reload` follows a change of the object. `replace` shows the object from the answer to a
   * change.
   */
  children: (data: T, changed: { reload: () => void; replace: (data: T) => void }) => ComponentChildren;
}

/** Shows the object that the page's address names, beside its list. */
export function ObjectDrawer<T>({
  title,
  path,
  unknown,
  absent = {},
  live = true,
  unsaved,
  wide = false,
  lines = 8,
  ...props
}: ObjectDrawerProps<T>) {
  const { onClose, onChanged, children } = props;
  const object = useResource(path, (signal) => get<T>(path, { signal }), live ? { everyMs: LIVE_MS } : {});
  // The API rejects an id of the wrong form as an invalid request, not as unknown.
  const said: Readonly<Record<string, Said>> = { not_found: unknown, invalid_request: unknown, ...absent };
  const { data: loaded, error } = object;
  const nothing = loaded === null && error instanceof PortalError ? said[error.code] : undefined;
  const changed = {
    reload: () => {
      object.reload();
      onChanged();
    },
    replace: (data: T) => {
      object.replace(data);
      onChanged();
    },
  };
  return (
    <Drawer title={title} onClose={onClose} unsaved={unsaved} wide={wide && nothing === undefined}>
      {nothing === undefined ? (
        <Loaded of={object} skeleton={<Skeleton lines={lines} />}>
          {(data) => children(data, changed)}
        </Loaded>
      ) : (
        <EmptyState icon="search" title={nothing.title}>
          {nothing.text}
        </EmptyState>
      )}
    </Drawer>
  );
}
