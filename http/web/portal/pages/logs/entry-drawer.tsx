import { type ComponentChildren, Fragment } from "preact";
import { Badge } from "../../components/badge.tsx";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Copyable } from "../../components/copy.tsx";
import { Drawer } from "../../components/dialog.tsx";
import { formatExactTime } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import type { Filters } from "../../state/filters.ts";
import { outcomeKind, outcomeText } from "./words.ts";

/** Shows all members of an entry, with links to its object and to related entries. */
export function EntryDrawer({
  title,
  entry,
  object,
  href,
  facts,
  filters,
  onClose,
}: {
  title: string;
  entry: { at: string; objectId: string; requestId: string | null; outcome: string };
  /** The type of the object; null if its id shows it. */
  object: string | null;
  /** The portal's address of the object; null if there is none. */
  href: string | null;
  facts: readonly (readonly [string, ComponentChildren])[];
  filters: Filters;
  onClose: () => void;
}) {
  const { logs: words } = text();
  const { at, objectId, requestId, outcome } = entry;
  const only = (changes: Readonly<Record<string, string>>) => {
    onClose();
    filters.set(changes);
  };
  return (
    <Drawer title={title} onClose={onClose}>
      <dl class="facts">
        <dt>{words.time}</dt>
        <dd>{formatExactTime(at)}</dd>
        <dt>{words.outcome}</dt>
        <dd>
          <Badge kind={outcomeKind(outcome)}>{outcomeText(outcome)}</Badge>
        </dd>
        {facts.map(([name, fact]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd class="break">{fact}</dd>
          </Fragment>
        ))}
        <dt>{words.object}</dt>
        <dd class="break">
          {object} <Copyable value={objectId} />
        </dd>
        <dt>{words.request}</dt>
        <dd class="break">{requestId === null ? words.noRequest : <Copyable value={requestId} />}</dd>
      </dl>
      <div class="button-row">
        {href !== null && (
          <ButtonLink icon="search" href={href}>
            {words.open}
          </ButtonLink>
        )}
        <Button icon="filter" onClick={() => only({ objectId })}>
          {words.onlyObject}
        </Button>
        {requestId !== null && (
          <Button icon="filter" onClick={() => only({ requestId })}>
            {words.onlyRequest}
          </Button>
        )}
      </div>
    </Drawer>
  );
}
