import { useEffect, useId, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { Banner } from "../components/banner.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Icon } from "../components/icon.tsx";
import type { NavGroup } from "../components/nav-entry.ts";
import { errorText } from "../i18n/error-text.ts";
import { text } from "../i18n/texts.ts";
import { useResource } from "../state/resource.ts";
import { OptionLine } from "./option-line.tsx";
import {
  SEARCH_LENGTH_MAX,
  SEARCH_LENGTH_MIN,
  type SearchAnswer,
  type SearchGroup,
  type SearchOption,
  type SearchProps,
  type SearchSource,
} from "./source.ts";

/** The relay is asked after the person has stopped typing for this time. */
const TYPING_MS = 200;

const PAGES_MAX = 6;

const NOTHING: SearchAnswer = { groups: [], near: [], notes: [] };

/**
 * Finds pages and objects while the person types. The focus stays in the field; the arrow keys
 * choose an option, and Enter opens it.
 */
export function SearchDialog({ source, groups: navigation, onClose }: SearchProps & { source: SearchSource }) {
  const { search: words, app } = text();
  const { route } = useLocation();
  const list = useId();
  const [typed, setTyped] = useState("");
  const wanted = typed.trim();
  const settled = useSettled(wanted);
  // A new text aborts the request for the one before, so that no older answer is shown.
  const answer = useResource(`search ${settled}`, (signal) =>
    settled.length < SEARCH_LENGTH_MIN ? Promise.resolve(NOTHING) : source.search(settled, signal),
  );
  const isAnswered = settled === wanted && !answer.loading && answer.error === null;
  const found = isAnswered ? (answer.data ?? NOTHING) : NOTHING;
  const groups = [
    { name: "pages", title: words.pages, options: pagesFor(navigation, wanted) },
    ...found.groups,
    { name: "near", title: words.near(wanted), options: found.near },
  ].filter(({ options }) => options.length > 0);
  const options = groups.flatMap((group) => group.options);
  const [active, setActive] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text has other options.
  useEffect(() => setActive(0), [typed]);
  const chosen = options[Math.min(active, options.length - 1)];
  const idOf = (option: SearchOption) => `${list}-${options.indexOf(option)}`;
  const activeId = chosen === undefined ? undefined : idOf(chosen);
  useEffect(() => {
    if (activeId !== undefined) document.getElementById(activeId)?.scrollIntoView({ block: "nearest" });
  }, [activeId]);

  function go({ href }: SearchOption): void {
    onClose();
    route(href);
  }

  // Somebody who pastes an id and presses Enter at once gets the first result.
  const [entered, setEntered] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it waits for the answer.
  useEffect(() => {
    if (entered === null || !isAnswered) return;
    setEntered(null);
    if (entered === wanted && options[0] !== undefined) go(options[0]);
  }, [entered, isAnswered]);

  function onKeyDown(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      if (options.length > 0) setActive((Math.min(active, options.length - 1) + step + options.length) % options.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (chosen !== undefined) go(chosen);
      else if (!isAnswered) setEntered(wanted);
    }
  }

  const isSearched = isAnswered && wanted.length >= SEARCH_LENGTH_MIN;
  return (
    <Dialog title={app.search} onClose={onClose}>
      <div class="search">
        <div class="search-field">
          <Icon name="search" />
          <input
            type="text"
            role="combobox"
            class="input"
            aria-label={words.field}
            aria-autocomplete="list"
            aria-expanded={options.length > 0}
            aria-controls={options.length > 0 ? list : undefined}
            aria-activedescendant={activeId}
            aria-describedby={`${list}-hint`}
            autoComplete="off"
            autoCapitalize="off"
            spellcheck={false}
            enterkeyhint="go"
            maxLength={SEARCH_LENGTH_MAX}
            value={typed}
            data-autofocus=""
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
            onKeyDown={onKeyDown}
          />
        </div>
        <p id={`${list}-hint`} class="muted search-hint">
          {source.hint()}
        </p>
        {options.length > 0 && <Options {...{ list, groups, chosen, idOf, go, hover: (option) => setActive(options.indexOf(option)) }} />}
        {settled === wanted && answer.error !== null && (
          <Banner kind="danger" alert>
            {errorText(answer.error)}
          </Banner>
        )}
        {isSearched &&
          found.notes.map((note, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the notes have a fixed order.
            <Banner key={index} kind="warning">
              {note}
            </Banner>
          ))}
        <p role="status" class={options.length > 0 ? "visually-hidden" : "search-status"}>
          {statusOf()}
        </p>
      </div>
    </Dialog>
  );

  function statusOf(): string {
    if (wanted.length < SEARCH_LENGTH_MIN) return "";
    if (!isAnswered) return answer.error !== null && settled === wanted ? "" : words.searching;
    return options.length === 0 ? words.nothing(wanted) : words.count(options.length);
  }
}

function Options({
  list,
  groups,
  chosen,
  idOf,
  go,
  hover,
}: {
  list: string;
  groups: readonly SearchGroup[];
  chosen: SearchOption | undefined;
  idOf: (option: SearchOption) => string;
  go: (option: SearchOption) => void;
  hover: (option: SearchOption) => void;
}) {
  return (
    <div id={list} role="listbox" aria-label={text().search.results} class="search-list">
      {groups.map(({ name, title, options }) => (
        // biome-ignore lint/a11y/useSemanticElements: a listbox has no fieldset.
        <div key={name} role="group" aria-labelledby={`${list}-${name}`}>
          <div id={`${list}-${name}`} role="presentation" class="search-group">
            {title}
          </div>
          {options.map((option) => (
            <a
              key={option.key}
              id={idOf(option)}
              href={option.href}
              role="option"
              tabIndex={-1}
              aria-selected={option === chosen}
              class="search-option"
              onPointerMove={() => hover(option)}
              // The field keeps the focus.
              onMouseDown={(event) => event.preventDefault()}
              onClick={(event) => {
                if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                event.preventDefault();
                go(option);
              }}
            >
              <OptionLine option={option} />
            </a>
          ))}
        </div>
      ))}
    </div>
  );
}

/** Returns the pages with the text in their names, or all pages for an empty text. */
function pagesFor(navigation: readonly NavGroup[], wanted: string): SearchOption[] {
  const pages = navigation.flatMap(({ entries }) => entries);
  const plain = (words: string) => words.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return pages
    .filter(({ label }) => plain(label).includes(plain(wanted)))
    .slice(0, wanted === "" ? pages.length : PAGES_MAX)
    .map(({ name, href, icon, label }) => ({ key: `page ${name}`, href, icon, title: label }));
}

/** Returns the text after the person has stopped typing. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
