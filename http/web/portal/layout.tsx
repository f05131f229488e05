import { useEffect, useRef } from "preact/hooks";
import { Badge } from "./components/badge.tsx";
import { ButtonLink } from "./components/button.tsx";
import { EmptyState } from "./components/empty-state.tsx";
import { AccountMenu, Frame } from "./components/frame.tsx";
import { Icon } from "./components/icon.tsx";
import { LazyPage, pageLoader } from "./components/lazy-page.tsx";
import { Menu } from "./components/menu.tsx";
import type { NavEntry } from "./components/nav-entry.ts";
import { Page } from "./components/page.tsx";
import { Redirect } from "./components/redirect.tsx";
import type { Catalogue } from "./i18n/en.ts";
import { errorText } from "./i18n/error-text.ts";
import { zoneName } from "./i18n/format.ts";
import { text } from "./i18n/texts.ts";
import { hrefOf, type PageEntry, pageAt, pagesForMe } from "./pages/registry.ts";
import { useAction } from "./state/action.ts";
import { merchant, refreshSession, session, signOut, switchMerchant } from "./state/session.ts";
import { toast } from "./state/toasts.ts";

const merchantSearch = pageLoader(async () => (await import("./search/merchant-search.tsx")).MerchantSearch);

/** Names the merchant and the time zone on paper, where the frame is not printed (print.css). */
function paperHead({ merchantName, environment }: { merchantName: string; environment: string }): string {
  const { app } = text();
  return [merchantName, ...(environment === "TEST" ? [app.test] : []), app.times(zoneName())].join(" · ");
}

/** The frame around the pages after sign-in. */
export function Layout({ path }: { path: string }) {
  const texts = text();
  const pages = pagesForMe();
  const [first] = pages;
  const at = merchant.value;
  const found = pageAt(pages, path);
  // The session has just been loaded before the first page. Each further page loads it again, so
  // that the menu fits the current role.
  const opened = useRef(path);
  useEffect(() => {
    if (opened.current !== path) void refreshSession();
    opened.current = path;
  }, [path]);
  return (
    <Frame
      home="/portal"
      groups={(["payments", "developers", "company"] as const).map((name) => ({
        name,
        title: texts.nav[name],
        entries: pages.filter(({ group }) => group === name).map((entry) => navEntry(entry, texts)),
      }))}
      here={found?.entry.name ?? null}
      {...(at?.environment === "TEST" ? { strip: texts.app.test } : {})}
      paperHead={at === null ? undefined : paperHead(at)}
      bar={{ left: <MerchantSwitcher />, right: <Account /> }}
      search={merchantSearch}
      pageKey={`${at?.merchantId} ${found?.entry.name}`}
    >
      {found !== null ? (
        <LazyPage of={found.entry.page} props={{ id: found.id }} />
      ) : path === "/portal" && first !== undefined ? (
        <Redirect to={hrefOf(first)} />
      ) : (
        <NotFound />
      )}
    </Frame>
  );
}

function navEntry(entry: PageEntry, texts: Catalogue): NavEntry {
  const { name, icon, onPhone, page } = entry;
  return {
    name,
    icon,
    onPhone,
    href: hrefOf(entry),
    label: entry.label(texts),
    shortLabel: entry.shortLabel?.(texts),
    preload: page.preload,
  };
}

function MerchantSwitcher() {
  const { app, roles } = text();
  const [at, merchants] = [merchant.value, session.value?.merchants ?? []];
  const change = useAction(async (merchantId: string, close: () => void) => {
    close();
    await switchMerchant(merchantId).catch((error: unknown) => toast(errorText(error), "failed"));
  });
  if (at === null) return null;
  const name = (
    <span class="merchant">
      <span class="merchant-name" title={at.merchantName}>
        {at.merchantName}
      </span>
    </span>
  );
  if (merchants.length < 2) return name;
  return (
    <Menu
      label={app.switchMerchant}
      align="left"
      trigger={
        <>
          {name}
          <Icon name="chevronDown" size={16} />
        </>
      }
    >
      {(close) =>
        merchants.map(({ merchantId, merchantName, environment, role }) => (
          <button
            key={merchantId}
            type="button"
            class="menu-item"
            aria-current={merchantId === at.merchantId ? "true" : undefined}
            onClick={() => (merchantId === at.merchantId ? close() : void change.run(merchantId, close))}
          >
            <span>
              {merchantName}
              <small>{roles[role]}</small>
            </span>
            {environment === "TEST" && (
              <Badge kind="warn" dot={false}>
                TEST
              </Badge>
            )}
            {merchantId === at.merchantId && <Icon name="check" size={18} />}
          </button>
        ))
      }
    </Menu>
  );
}

function Account() {
  const { nav, roles } = text();
  const leave = useAction(signOut);
  const at = merchant.value;
  return (
    <AccountMenu
      name={session.value?.email ?? ""}
      role={at === null ? undefined : roles[at.role]}
      at={at?.merchantName}
      settings={{ href: "/portal/settings", label: nav.settings }}
      signOut={() => void leave.run()}
    />
  );
}

function NotFound() {
  const { app } = text();
  return (
    <Page title={app.notFoundTitle}>
      <EmptyState icon="search" title={app.notFoundTitle} action={<ButtonLink href="/portal">{app.goHome}</ButtonLink>}>
        {app.notFoundText}
      </EmptyState>
    </Page>
  );
}
