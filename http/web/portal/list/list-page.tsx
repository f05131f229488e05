import type { ComponentChildren, ComponentType } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { NEWEST } from "../../../surfaces/merchant/sorts.ts";
import { Button } from "../components/button.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { FilterBar } from "../components/filter-bar.tsx";
import type { IconName } from "../components/icon.tsx";
import { ObjectList } from "../components/object-list.tsx";
import { Page } from "../components/page.tsx";
import { SavedViews } from "../components/saved-views.tsx";
import type { Column } from "../components/table.tsx";
import { Tabs } from "../components/tabs.tsx";
import type { Catalogue } from "../i18n/en.ts";
import { text } from "../i18n/texts.ts";
import { ExportButton } from "../pages/exports/export-button.tsx";
import type { ExportListName } from "../pages/exports/words.ts";
import type { PageProps } from "../pages/page-props.ts";
import { NearHits } from "../search/near-hits.tsx";
import { type Filters, useFilters } from "../state/filters.ts";
import { may } from "../state/session.ts";
import { useShortcut } from "../state/shortcuts.ts";
import { type ListDeclaration, listHref, objectHref, queryOf, type Sorting, sortingOf, sortValueOf } from "./declaration.ts";
import { type FieldsOf, FilterFields } from "./filter-fields.tsx";

export interface ListState {
  filters: Filters;
  /** The query for the relay, without values that no filter accepts. */
  query: Record<string, string>;
  /** Counts the changes that this page made. */
  round: number;
  /** Loads the list again. */
  changed(): void;
  /** The column by which the list is sorted; null for a list that has no such columns. */
  sorting: Sorting | null;
  sortBy(sorting: Sorting): void;
  /** The filters and the order, as the query of the page. */
  address: string;
}

/** Reads the filters of a list from the address, and counts the changes made on its page. */
export function useList(list: ListDeclaration): ListState {
  const filters = useFilters(Object.keys(list.filters));
  const order = useFilters(["sort"]);
  const [round, setRound] = useState(0);
  const asked = sortingOf(list, order.values["sort"] ?? NEWEST);
  const sort = asked === null ? null : sortValueOf(list, asked);
  const query = queryOf(list, filters.values, may);
  return {
    ...{ filters, query: sort === null ? query : { ...query, sort }, round, changed: () => setRound((before) => before + 1) },
    sorting: asked ?? sortingOf(list, NEWEST),
    sortBy: (sorting) => order.set({ sort: sortValueOf(list, sorting) }),
    address: new URLSearchParams({ ...filters.values, ...(sort === null ? {} : { sort }) }).toString(),
  };
}

/** The texts that every list has. */
export interface ListTexts {
  readonly title: string;
  readonly lead?: string;
  /** The line below the last row. */
  readonly end: (count: number) => string;
  readonly emptyTitle: string;
  readonly emptyText: string;
  /** The text for people who may not create an object. */
  readonly emptyLookText?: string;
  readonly noMatchText?: string;
  /** The word on the button that creates an object. */
  readonly create?: string;
}

/** The rows of a list and its filters. */
export interface ListView<Row, List extends ListDeclaration> {
  list: List;
  texts: ListTexts;
  /** The icon above the text of an empty list. */
  icon: IconName;
  /** A function draws all filters of a page whose fields depend on each other. */
  fields?: FieldsOf<List> | ((filters: Filters) => ComponentChildren) | undefined;
  /** Buttons between the filters and the rows. */
  buttons?: ComponentChildren;
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  onOpen?: ((row: Row) => void) | undefined;
  phone?: "cards" | "lines" | undefined;
  /** A button below the text of an empty list. */
  action?: ComponentChildren;
}

/** Shows a list with its filters. `listPage` makes a whole page of it. */
export function FilteredList<Row, List extends ListDeclaration>({
  state: { filters, query, round, sorting = null, sortBy },
  ...view
}: ListView<Row, List> & {
  state: Pick<ListState, "filters" | "query" | "round"> & Partial<Pick<ListState, "sorting" | "sortBy">>;
}) {
  const { list, texts, icon, fields, buttons, columns, keyOf, onOpen, phone = "lines", action } = view;
  return (
    <>
      {fields !== undefined && (
        <FilterBar count={filters.count}>
          {typeof fields === "function" ? (
            fields(filters)
          ) : (
            <FilterFields {...{ list, fields, filters }} seesPersonalData={may("see personal data")} />
          )}
        </FilterBar>
      )}
      {buttons}
      <ObjectList<Row>
        path={list.path}
        query={query}
        filters={filters}
        round={round}
        live={query["sort"] === undefined}
        end={texts.end}
        empty={
          <EmptyState icon={icon} title={texts.emptyTitle} action={action}>
            {texts.emptyText}
          </EmptyState>
        }
        noMatchText={texts.noMatchText}
        noMatch={query["q"] !== undefined ? <NearHits key={query["q"]} wanted={query["q"]} /> : undefined}
        caption={texts.title}
        columns={columns.map((column) => ({ ...column, sortable: list.sorts?.[column.key] !== undefined }))}
        sorting={sorting}
        onSort={sortBy}
        keyOf={keyOf}
        onOpen={onOpen}
        phone={phone}
      />
    </>
  );
}

export interface DrawerProps {
  id: string;
  onClose: () => void;
  /** Loads the list behind the drawer again. */
  onChanged: () => void;
}

/** The dialog that creates an object. */
export interface CreateProps {
  onClose: () => void;
  onCreated: () => void;
  /** Opens what was created. */
  onOpen: (id: string) => void;
}

export interface ListPageOptions<Row, List extends ListDeclaration> {
  list: List;
  texts: (all: Catalogue) => ListTexts & { readonly tabs?: Readonly<Record<string, string>> };
  icon: IconName;
  fields?: (all: Catalogue) => FieldsOf<List>;
  /** Draws all filters of a page whose fields depend on each other. */
  drawFields?: (filters: Filters) => ComponentChildren;
  columns: (all: Catalogue) => readonly Column<Row>[];
  /** The part of a row's address that names it. */
  idOf: (row: Row) => string;
  phone?: "cards" | "lines";
  keyOf?: (row: Row) => string;
  /** Shows the object that the address names. */
  drawer?: ComponentType<DrawerProps>;
  create?: { act: Parameters<typeof may>[0]; dialog: ComponentType<CreateProps> };
  /** Further buttons of the page. */
  actions?: ComponentType<{ onChanged: () => void }>;
  /** Figures between the title and the list. */
  tiles?: ComponentType<{ round: number }>;
  below?: ComponentType;
  /** Further tabs, by their name in `tab` of the address. */
  tabs?: Readonly<Record<string, ComponentType>>;
  savedViews?: boolean;
  exportList?: ExportListName;
}

/** Makes the page of a list. Its filters, tab and opened object stand in the address. */
export function listPage<Row, List extends ListDeclaration>(page: ListPageOptions<Row, List>): ComponentType<PageProps> {
  return ({ id }) => <ListPage page={page} id={id} />;
}

function ListPage<Row, List extends ListDeclaration>({ page, id }: { page: ListPageOptions<Row, List>; id: string | null }) {
  const { list, tabs = {}, idOf, create, drawer: ObjectShown, actions: Actions, tiles: Tiles, below: Below } = page;
  const texts = page.texts(text());
  const { query: located, route } = useLocation();
  const state = useList(list);
  const { filters, query, round, changed, address } = state;
  const [creating, setCreating] = useState(false);
  const tab = id === null ? Object.keys(tabs).find((key) => key === located["tab"]) : undefined;
  const Other = tab === undefined ? undefined : tabs[tab];
  const open = (object: string) => route(objectHref(list.page, object, address));
  const mayCreate = create !== undefined && may(create.act);
  const createKey = { keys: "n", name: () => texts.create ?? text().shortcuts.create, run: () => setCreating(true) };
  useShortcut(mayCreate && Other === undefined ? createKey : null);
  const createButton = mayCreate ? (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      {texts.create}
    </Button>
  ) : undefined;
  const emptyText = create === undefined || mayCreate ? texts.emptyText : (texts.emptyLookText ?? texts.emptyText);
  const fields = page.drawFields ?? page.fields?.(text());
  const contents =
    Other !== undefined ? (
      <Other />
    ) : (
      <>
        {Tiles !== undefined && <Tiles round={round} />}
        <FilteredList
          {...{ list, state, fields }}
          texts={{ ...texts, emptyText }}
          icon={page.icon}
          columns={page.columns(text())}
          keyOf={page.keyOf ?? idOf}
          onOpen={ObjectShown === undefined ? undefined : (row) => open(idOf(row))}
          phone={page.phone}
          action={createButton}
        />
      </>
    );
  const hasActions = page.savedViews === true || Actions !== undefined || page.exportList !== undefined || create !== undefined;
  return (
    <Page
      title={texts.title}
      lead={texts.lead}
      actions={
        hasActions && Other === undefined ? (
          <>
            {page.savedViews === true && <SavedViews list={list.page} query={filters.query} />}
            {Actions !== undefined && <Actions onChanged={changed} />}
            {page.exportList !== undefined && <ExportButton list={page.exportList} query={withoutSort(query)} />}
            {createButton}
          </>
        ) : undefined
      }
    >
      {page.tabs === undefined ? (
        contents
      ) : (
        <Tabs
          label={texts.title}
          tabs={[list.page, ...Object.keys(tabs)].map((key) => ({ key, label: texts.tabs?.[key] ?? key }))}
          selected={tab ?? list.page}
          onSelect={(chosen) => route(listHref(list.page, chosen === list.page ? {} : { tab: chosen }))}
        >
          <div class="tab-page">{contents}</div>
        </Tabs>
      )}
      {Below !== undefined && <Below />}
      {ObjectShown !== undefined && id !== null && (
        <ObjectShown key={id} id={id} onClose={() => route(listHref(list.page, address))} onChanged={changed} />
      )}
      {creating && create !== undefined && (
        <create.dialog
          onClose={() => setCreating(false)}
          onCreated={changed}
          onOpen={(created) => {
            setCreating(false);
            open(created);
          }}
        />
      )}
    </Page>
  );
}

/** An export has an order of its own. */
function withoutSort({ sort: _, ...query }: Record<string, string>): Record<string, string> {
  return query;
}
