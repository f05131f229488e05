import type { AlertJson } from "../../../../surfaces/merchant/alerts/schemas.ts";
import { c, desk } from "../../list/columns.tsx";
import { listPage } from "../../list/list-page.tsx";
import { AlertDrawer } from "./alert-drawer.tsx";
import { AlertState } from "./alert-state.ts";
import { AlertTiles } from "./alert-tiles.tsx";
import { RulesPanel } from "./rules-panel.tsx";
import { ALERT_LIST } from "./words.ts";

/** Lists complaints that are not disputes yet, and shows the rules for automatic refunds. */
export const AlertsPage = listPage<AlertJson, typeof ALERT_LIST>({
  list: ALERT_LIST,
  texts: ({ alerts }) => alerts,
  icon: "alert",
  fields: ({ alerts: words }) => ({
    state: { label: words.state, words: words.states },
    source: { label: words.source, words: words.sources },
    from: { label: words.received },
  }),
  columns: ({ alerts: words, disputes }) => [
    c.word("category", words.category, disputes.categories),
    c.amount(words.amount),
    c.state("state", words.state, AlertState),
    c.due(words.due, ({ state }) => state === "PENDING"),
    desk(c.word("source", words.source, words.sources)),
    desk(c.clip("networkRef", words.reference, "mono clip-short")),
    desk(c.time("createdAt", words.received)),
  ],
  idOf: ({ id }) => id,
  drawer: AlertDrawer,
  tiles: AlertTiles,
  tabs: { rules: RulesPanel },
  savedViews: true,
});
