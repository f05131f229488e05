import type { OverviewJson } from "../../../../surfaces/merchant/overview-schemas.ts";
import { Badge } from "../../components/badge.tsx";
import { DueTime } from "../../components/due-time.tsx";
import { Panel } from "../../components/panel.tsx";
import { Table } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { text } from "../../i18n/texts.ts";
import { objectHref } from "../../list/declaration.ts";

/** Lists what somebody has to check. Shows nothing on a usual day, when there is nothing to do. */
export function Tasks({ tasks }: { tasks: OverviewJson["tasks"] }) {
  const { overview: words } = text();
  if (tasks.length === 0) return null;
  const kinds: Readonly<Record<string, string>> = words.taskKinds;
  return (
    <Panel flush title={words.tasks} hint={words.tasksHint}>
      <Table
        caption={words.tasks}
        rows={tasks}
        keyOf={({ kind, subject }) => `${kind} ${subject}`}
        columns={[
          { key: "kind", header: words.task, cell: ({ kind }) => <Badge kind="warn">{kinds[kind] ?? kind}</Badge> },
          {
            key: "subject",
            header: words.payment,
            cell: (task) => <Subject task={task} />,
          },
          { key: "due", header: words.due, cell: (task) => <Due task={task} /> },
        ]}
      />
    </Panel>
  );
}

/** A deadline for people counts down. A step of the relay shows its date. */
function Due({ task: { kind, dueAt } }: { task: OverviewJson["tasks"][number] }) {
  if (dueAt === null) return <>–</>;
  return kind.startsWith("subscription_") ? <Time at={dueAt} /> : <DueTime until={dueAt} />;
}

/** Links to the object of the task. A payment without a result has no page yet. */
function Subject({ task: { kind, subject } }: { task: OverviewJson["tasks"][number] }) {
  if (kind === "unknown") return <span class="mono break">{subject}</span>;
  return (
    <a class="mono break" href={hrefOf(kind, subject)}>
      {subject}
    </a>
  );
}

function hrefOf(kind: string, subject: string): string {
  if (kind.startsWith("dispute_")) return objectHref("disputes", subject);
  if (kind.startsWith("alert_")) return objectHref("alerts", subject);
  if (kind.startsWith("link_")) return objectHref("payment-links", subject);
  if (kind.startsWith("subscription_")) return objectHref("subscriptions", subject);
  return objectHref("transactions", subject);
}
