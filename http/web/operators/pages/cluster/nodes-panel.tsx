import { useState } from "preact/hooks";
import type { ClusterNodeJson } from "../../../../surfaces/admin/cluster.ts";
import { get } from "../../../portal/api/client.ts";
import { Badge, type BadgeKind } from "../../../portal/components/badge.tsx";
import { Button } from "../../../portal/components/button.tsx";
import { Loaded, Panel } from "../../../portal/components/panel.tsx";
import { type Column, Table } from "../../../portal/components/table.tsx";
import { Time } from "../../../portal/components/time.tsx";
import { formatNumber } from "../../../portal/i18n/format.ts";
import { useResource } from "../../../portal/state/resource.ts";
import { words } from "../../i18n/texts.ts";
import { may } from "../../state/session.ts";
import { DrainDialog } from "./drain-dialog.tsx";

const EVERY_MS = 5_000;

const STATE_KINDS: Readonly<Record<ClusterNodeJson["state"], BadgeKind>> = { live: "good", draining: "warn", gone: "bad" };

/** The nodes and what each tells of itself. Operators drain one of them. */
export function NodesPanel() {
  const { cluster: own } = words();
  const nodes = useResource("cluster", (signal) => get<{ nodes: ClusterNodeJson[] }>("/cluster", { signal }), { everyMs: EVERY_MS });
  const [asking, setAsking] = useState<ClusterNodeJson | null>(null);
  const [drained, setDrained] = useState<ReadonlySet<string>>(new Set());
  // A node that answers the list may hear of it seconds after the one that drains has said so, and a single node never says it of itself.
  const shown = (node: ClusterNodeJson): ClusterNodeJson =>
    node.state === "live" && drained.has(node.incarnation) ? { ...node, state: "draining" } : node;
  return (
    <Panel flush title={own.nodes}>
      <Loaded of={nodes}>
        {(data) => (
          <Table
            caption={own.nodes}
            columns={columnsOf(may("operator") ? setAsking : null)}
            rows={data.nodes.map(shown)}
            keyOf={({ incarnation }) => incarnation}
          />
        )}
      </Loaded>
      {asking !== null && (
        <DrainDialog
          node={asking}
          onClose={() => setAsking(null)}
          onDraining={() => {
            setDrained((before) => new Set(before).add(asking.incarnation));
            nodes.reload();
          }}
        />
      )}
    </Panel>
  );
}

function columnsOf(onDrain: ((node: ClusterNodeJson) => void) | null): Column<ClusterNodeJson>[] {
  const { cluster: own } = words();
  const figure = (value: number | undefined) => (value === undefined ? "–" : formatNumber(value));
  return [
    { key: "node", header: own.node, cell: ({ nodeId }) => <span class="name-room">{nodeId}</span> },
    { key: "state", header: own.state, cell: ({ state }) => <Badge kind={STATE_KINDS[state]}>{own.states[state]}</Badge> },
    { key: "version", header: own.version, cell: ({ version }) => version },
    { key: "since", header: own.since, cell: ({ since }) => <Time at={since} /> },
    { key: "terminals", header: own.terminals, align: "right", cell: ({ report }) => figure(report?.terminals) },
    { key: "queued", header: own.queued, align: "right", cell: ({ report }) => figure(report?.commandsQueued), priority: 3 },
    { key: "sent", header: own.sent, align: "right", cell: ({ report }) => figure(report?.commandsSent), priority: 3 },
    { key: "lapses", header: own.lapses, align: "right", cell: ({ report }) => figure(report?.lapses), priority: 3 },
    ...(onDrain === null
      ? []
      : [
          {
            key: "drain",
            header: own.actions,
            cell: (node: ClusterNodeJson) =>
              node.state === "live" ? (
                <Button small kind="danger-quiet" label={own.drainOf(node.nodeId)} onClick={() => onDrain(node)}>
                  {own.drain}
                </Button>
              ) : (
                "–"
              ),
          },
        ]),
  ];
}
