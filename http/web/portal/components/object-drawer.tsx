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
  /** Where the interface has it: the path that its address names. */
  path: string;
  /** What is said where there is no such object. */
  unknown: Said;
  /** What is said in its place, by the code of why it is not there now. */
  absent?: Readonly<Partial<Record<FailureCode, Said>>>;
  /** Asked for again while somebody looks: it may change by itself. */
  live?: boolean;
  /** To work in, with room for two columns. */
  wide?: boolean;
  lines?: number;
  onClose: () => void;
  /** The list behind it is to say so too. */
  onChanged: () => void;
  /** `reload`: something of it was changed. `replace`: an answer to a change has said what it is now. */
  children: (data: T, changed: { reload: () => void; replace: (data: T) => void }) => ComponentChildren;
}

/** One object of a list, which the page's address names, beside the list. */
export function ObjectDrawer<T>({
  title,
  path,
  unknown,
  absent = {},
  live = true,
  wide = false,
  lines = 8,
  ...props
}: ObjectDrawerProps<T>) {
  const { onClose, onChanged, children } = props;
  const object = useResource(path, (signal) => get<T>(path, { signal }), live ? { everyMs: LIVE_MS } : {});
  // What is no id at all is refused rather than not found.
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
    <Drawer title={title} onClose={onClose} wide={wide && nothing === undefined}>
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
