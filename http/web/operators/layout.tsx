import { useEffect, useRef } from "preact/hooks";
import { ButtonLink } from "../portal/components/button.tsx";
import { EmptyState } from "../portal/components/empty-state.tsx";
import { AccountMenu, Frame } from "../portal/components/frame.tsx";
import { LazyPage, pageLoader } from "../portal/components/lazy-page.tsx";
import { Page } from "../portal/components/page.tsx";
import { text } from "../portal/i18n/texts.ts";
import { useAction } from "../portal/state/action.ts";
import { words } from "./i18n/texts.ts";
import { GROUPS, pageAt, pagesForMe } from "./pages/registry.ts";
import { pageHref, START } from "./state/addresses.ts";
import { refreshSession, role, session, signOut } from "./state/session.ts";

const operatorsSearch = pageLoader(async () => (await import("./search/operators-search.tsx")).OperatorsSearch);

/** The frame around the pages of an administrator who is signed in. */
export function Layout({ path }: { path: string }) {
  const { nav, app, roles } = words();
  const pages = pagesForMe();
  const found = pageAt(pages, path);
  const leave = useAction(signOut);
  // The first page comes just after the session was read; with each further one the menu is what the role is now.
  const opened = useRef(path);
  useEffect(() => {
    if (opened.current !== path) void refreshSession();
    opened.current = path;
  }, [path]);
  return (
    <Frame
      home={START}
      groups={GROUPS.map((name) => ({
        name,
        title: nav[name],
        entries: pages
          .filter(({ group }) => group === name)
          .map(({ name: page, label, icon, onPhone, page: { preload } }) => ({
            ...{ name: page, icon, onPhone, preload },
            href: pageHref(page),
            label: label(nav),
          })),
      }))}
      here={found?.entry.name ?? null}
      {...(session.value?.mode === "sandbox" ? { strip: app.sandbox } : {})}
      bar={{
        right: (
          <AccountMenu
            name={session.value?.username ?? ""}
            role={role.value === null ? undefined : roles[role.value]}
            settings={{ href: pageHref("account"), label: nav.account }}
            signOut={() => void leave.run()}
          />
        ),
      }}
      search={operatorsSearch}
      pageKey={found?.entry.name ?? "none"}
    >
      {found === null ? <NotFound /> : <LazyPage of={found.entry.page} props={{ id: found.id }} />}
    </Frame>
  );
}

function NotFound() {
  const { app } = text();
  return (
    <Page title={app.notFoundTitle}>
      <EmptyState icon="search" title={app.notFoundTitle} action={<ButtonLink href={START}>{app.goHome}</ButtonLink>}>
        {app.notFoundText}
      </EmptyState>
    </Page>
  );
}
