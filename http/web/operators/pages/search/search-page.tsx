import { useEffect, useState } from "preact/hooks";
import type { SearchHitJson, SearchResultJson } from "../../../../surfaces/admin/session-schemas.ts";
import { get } from "../../../portal/api/client.ts";
import { Banner } from "../../../portal/components/banner.tsx";
import { Button } from "../../../portal/components/button.tsx";
import { EmptyState } from "../../../portal/components/empty-state.tsx";
import { TextField } from "../../../portal/components/field.tsx";
import { Form } from "../../../portal/components/form.tsx";
import { Page } from "../../../portal/components/page.tsx";
import { Loaded, Panel } from "../../../portal/components/panel.tsx";
import { useFilters } from "../../../portal/state/filters.ts";
import { useResource } from "../../../portal/state/resource.ts";
import { words } from "../../i18n/texts.ts";
import { HitCard } from "./hit-card.tsx";

/** As the interface takes it: what is no uuid or id is not asked for. */
const WANTED = /^[A-Za-z0-9._-]{1,64}$/;

/** The relay gives up what is away after 15 seconds, and then answers with the rest. */
const DEADLINE_MS = 20_000;

/** Everything that has a uuid or id, whatever it is. What is searched stands in the address, to be sent to a colleague. */
export function SearchPage() {
  const { search: own } = words();
  const { values, set } = useFilters(["q"]);
  const wanted = values["q"] ?? "";
  const [written, setWritten] = useState(wanted);
  const [checked, setChecked] = useState(false);
  // The address may change without the field: a link, the browser's buttons.
  useEffect(() => setWritten(wanted), [wanted]);
  const problem = WANTED.test(written.trim()) ? null : own.form;
  return (
    <Page title={own.title} lead={own.lead}>
      <Panel>
        <Form
          onSubmit={() => {
            setChecked(true);
            if (problem === null) set({ q: written.trim() });
          }}
        >
          <TextField
            label={own.field}
            hint={own.hint}
            type="search"
            autoComplete="off"
            maxLength={64}
            value={written}
            onInput={setWritten}
            error={checked ? problem : null}
            mono
            autoFocus
          />
          <div>
            <Button type="submit" kind="primary" icon="search">
              {own.submit}
            </Button>
          </div>
        </Form>
      </Panel>
      {WANTED.test(wanted) && <Found key={wanted} wanted={wanted} />}
    </Page>
  );
}

function Found({ wanted }: { wanted: string }) {
  const { search: own } = words();
  const found = useResource(`search ${wanted}`, (signal) =>
    get<SearchResultJson>("/search", { signal, query: { uuid: wanted }, deadlineMs: DEADLINE_MS }),
  );
  return (
    <Loaded of={found}>
      {({ items, clickhouse }) => (
        <>
          {clickhouse === "away" && <Banner kind="warning">{own.away}</Banner>}
          {items.length === 0 ? (
            <Panel>
              <EmptyState icon="search" title={own.nothingTitle}>
                {clickhouse === "away" ? own.nothingAway : own.nothingText}
              </EmptyState>
            </Panel>
          ) : (
            <>
              <p role="status">{own.count(items.length)}</p>
              {items.map((hit) => (
                <HitCard key={keyOf(hit)} hit={hit} />
              ))}
            </>
          )}
        </>
      )}
    </Loaded>
  );
}

function keyOf({ kind, id, terminalId, createdAt }: SearchHitJson): string {
  return [kind, id, terminalId, createdAt].join(" ");
}
