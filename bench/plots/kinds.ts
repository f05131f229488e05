import type { Panel } from "../charts/panel.ts";
import { intentsPanels, loginsPanels, webhooksPanels, zvtPanels } from "./kinds/api.ts";
import { clusterPanels, feedPanels } from "./kinds/cluster.ts";
import { nodePanels } from "./kinds/node.ts";
import { peersPanels } from "./kinds/peers.ts";
import { portalPanels } from "./kinds/portal.ts";
import { scalingPanels } from "./kinds/scaling.ts";
import { linksPanels, packagesPanels, startPanels } from "./kinds/whole-node.ts";

export interface KindOfResult {
  title: string;
  /** What measures it, as it is to be typed. */
  command: string;
  /** From a result of any day: what it does not have is left out. */
  panels(json: unknown): Panel[];
}

/** In the order of bench/RESULTS.md. The key is what a result's name has between date and machine; a node by itself has nothing there. */
const KINDS: Readonly<Record<string, KindOfResult>> = {
  "": {
    title: "A node by itself: get, pay, push",
    command: "npm --prefix bench run measure -- --no-peers",
    panels: (json) => [...nodePanels(json), ...peersPanels(json)],
  },
  cluster: { title: "A cluster of three nodes", command: "npm --prefix bench run measure -- --cluster", panels: clusterPanels },
  feed: { title: "The feed of a cluster", command: "npm --prefix bench run measure -- --only-feed", panels: feedPanels },
  links: { title: "Pending payment links", command: "npm --prefix bench run links", panels: linksPanels },
  packages: { title: "Payments beside packages", command: "npm --prefix bench run packages", panels: packagesPanels },
  peers: {
    title: "Beside what people would build instead",
    command: "npm --prefix bench run measure -- --only-peers",
    panels: peersPanels,
  },
  intents: { title: "Payment intents", command: "npm --prefix bench run intents", panels: intentsPanels },
  webhooks: { title: "Webhooks", command: "npm --prefix bench run webhooks", panels: webhooksPanels },
  zvt: { title: "Cash registers", command: "npm --prefix bench run zvt", panels: zvtPanels },
  start: { title: "A start", command: "node --import tsx bench/start/run.ts", panels: startPanels },
  logins: { title: "Guessed passwords", command: "npm --prefix bench run logins", panels: loginsPanels },
  scaling: { title: "What a terminal, a payment and a row take", command: "npm --prefix bench run scaling", panels: scalingPanels },
  portal: { title: "Merchants' portal", command: "npm --prefix bench run portal", panels: portalPanels },
};

const PORTAL_PART = /^portal-(.+)$/;

/** In which they are shown; portal's parts come last. */
export const KIND_ORDER: readonly string[] = Object.keys(KINDS);

/** Null for a kind that nothing here measures: a comparison that somebody wrote down. */
export function kindOf(name: string | null): KindOfResult | null {
  const parts = PORTAL_PART.exec(name ?? "")?.[1];
  const kind = KINDS[parts === undefined ? (name ?? "") : "portal"];
  if (kind === undefined) return null;
  if (parts === undefined) return kind;
  const named = parts.split("-");
  return { ...kind, title: `${kind.title}: ${named.join(", ")}`, command: `${kind.command} -- ${named.join(" ")}` };
}
