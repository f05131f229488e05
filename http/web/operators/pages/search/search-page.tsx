import { useEffect, useState } from "preact/hooks";
import type { SearchHitJson, SearchResultJson } from "../../../../surfaces/admin/session-schemas.ts";
import { Banner } from "../../../portal/components/banner.tsx";
import { Button } from "../../../portal/components/button.tsx";
import { EmptyState } from "../../../portal/components/empty-state.tsx";
import { TextField } from "../../../portal/components/field.tsx";
import { Form } from "../../../portal/components/form.tsx";
import { Page } from "../../../portal/components/page.tsx";
import { Loaded, Panel } from "../../../portal/components/panel.tsx";
import { OptionLine } from "../../../portal/search/option-line.tsx";
import { SEARCH_LENGTH_MAX, SEARCH_LENGTH_MIN } from "../../../portal/search/source.ts";
import { useFilters } from "../../../portal/state/filters.ts";
import { useResource } from "../../../portal/state/resource.ts";
import { words } from "../../i18n/texts.ts";
import { findInRelay, placeOption } from "../../search/operators-source.ts";
import { HitCard } from "./hit-card.tsx";

/** Everything that has a uuid or id, whatever it is, and more (operators-source.ts). What is searched stands in the address, to be sent to a colleague. */
export function SearchPage() {
  const { search: own } = words();
  const { values, set } = useFilters(["q"]);
  const wanted = values["q"] ?? "";
  const [written, setWritten] = useState(wanted);
  const [checked, setChecked] = useState(false);
  // The address may change without the field: a link, the browser's buttons.
  useEffect(() => setWritten(wanted), [wanted]);
  const problem = isLongEnough(written) ? null : own.form;
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
            maxLength={SEARCH_LENGTH_MAX}
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
      {isLongEnough(wanted) && <Found key={wanted} wanted={wanted} />}
    </Page>
  );
}

function Found({ wanted }: { wanted: string }) {
  const { search: own } = words();
  const found = useResource(`search ${wanted}`, (signal) => findInRelay(wanted, signal));
  return (
    <Loaded of={found}>
      {({ items, places, near, clickhouse }) => (
        <>
          {clickhouse === "away" && <Banner kind="warning">{own.away}</Banner>}
          {places.length > 0 && <Places title={own.places} places={places} />}
          {items.length === 0 && places.length === 0 ? (
            <Panel>
              <EmptyState icon="search" title={own.nothingTitle}>
                {clickhouse === "away" ? own.nothingAway : own.nothingText}
              </EmptyState>
              {near.length > 0 && <Places title={own.near} places={near} />}
            </Panel>
          ) : (
            <>
              <p role="status">{own.count(items.length + places.length)}</p>
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

/** Terminals, merchants, partners and nodes, as links to their pages. */
function Places({ title, places }: { title: string; places: SearchResultJson["places"] }) {
  return (
    <section class="near" aria-label={title}>
      <p class="search-group">{title}</p>
      <ul>
        {places.map(placeOption).map((option) => (
          <li key={option.key}>
            <a class="search-option" href={option.href}>
              <OptionLine option={option} />
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function isLongEnough(text: string): boolean {
  return text.trim().length >= SEARCH_LENGTH_MIN;
}

function keyOf({ kind, id, terminalId, createdAt }: SearchHitJson): string {
  return [kind, id, terminalId, createdAt].join(" ");
}
