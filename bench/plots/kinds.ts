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
    command: "npm run bench -- --no-peers",
    panels: (json) => [...nodePanels(json), ...peersPanels(json)],
  },
  cluster: { title: "A cluster of three nodes", command: "npm run bench -- --cluster", panels: clusterPanels },
  feed: { title: "The feed of a cluster", command: "npm run bench -- --only-feed", panels: feedPanels },
  links: { title: "Pending payment links", command: "npm run bench:links", panels: linksPanels },
  packages: { title: "Payments beside packages", command: "npm run bench:packages", panels: packagesPanels },
  peers: { title: "Beside what people would build instead", command: "npm run bench -- --only-peers", panels: peersPanels },
  intents: { title: "Payment intents", command: "npm run bench:intents", panels: intentsPanels },
  webhooks: { title: "Webhooks", command: "npm run bench:webhooks", panels: webhooksPanels },
  zvt: { title: "Cash registers", command: "npm run bench:zvt", panels: zvtPanels },
  start: { title: "A start", command: "node --import tsx bench/start/run.ts", panels: startPanels },
  logins: { title: "Guessed passwords", command: "npm run bench:logins", panels: loginsPanels },
  scaling: { title: "What a terminal, a payment and a row take", command: "npm run bench:scaling", panels: scalingPanels },
  portal: { title: "Merchants' portal", command: "npm run bench:portal", panels: portalPanels },
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
