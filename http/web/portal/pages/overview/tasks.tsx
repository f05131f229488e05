import type { OverviewJson } from "../../../../surfaces/merchant/overview-schemas.ts";
import { Amount } from "../../components/amount.tsx";
import { Badge } from "../../components/badge.tsx";
import { Banner } from "../../components/banner.tsx";
import { DueTime } from "../../components/due-time.tsx";
import { Panel } from "../../components/panel.tsx";
import { Table } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { declineLine } from "../../i18n/decline-text.ts";
import { formatDateTime } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { objectHref } from "../../list/declaration.ts";

type Task = OverviewJson["tasks"][number];

/** Lists what somebody has to check. Shows nothing on a usual day, when there is nothing to do. */
export function Tasks({ data: { tasks, openingHours, terminals } }: { data: OverviewJson }) {
  const { overview: words } = text();
  const isUnsure = openingHours === "unknown" && terminals.online < terminals.total;
  if (tasks.length === 0 && !isUnsure) return null;
  const kinds: Readonly<Record<string, string>> = words.taskKinds;
  return (
    <Panel flush title={words.tasks} hint={words.tasksHint}>
      {isUnsure && <Banner kind="warning">{words.hoursUnknown}</Banner>}
      {tasks.length > 0 && (
        <Table
          caption={words.tasks}
          rows={tasks}
          keyOf={({ kind, subject }) => `${kind} ${subject}`}
          columns={[
            { key: "kind", header: words.task, cell: ({ kind }) => <Badge kind="warn">{kinds[kind] ?? kind}</Badge> },
            { key: "reason", header: words.reason, cell: (task) => <Reason task={task} /> },
            { key: "amount", header: words.amount, align: "right", cell: (task) => <TaskAmount task={task} /> },
            { key: "due", header: words.due, cell: (task) => <Due task={task} /> },
          ]}
        />
      )}
    </Panel>
  );
}

function TaskAmount({ task: { amountMinor, currency } }: { task: Task }) {
  return amountMinor === null || currency === null ? <>–</> : <Amount minor={amountMinor} currency={currency} />;
}

/** A deadline for people counts down. A step of the relay shows its date. */
function Due({ task: { kind, at, dueAt } }: { task: Task }) {
  if (dueAt === null) return <>{at === null ? "–" : text().overview.since(formatDateTime(at))}</>;
  return kind.startsWith("subscription_") ? <Time at={dueAt} /> : <DueTime until={dueAt} />;
}

/** Links to the object of the task. A payment without a result has no page yet. */
function Reason({ task }: { task: Task }) {
  const { title, detail } = reasonOf(task);
  const href = hrefOf(task);
  return (
    <span class="two-lines">
      {href === null ? <span>{title}</span> : <a href={href}>{title}</a>}
      {detail !== null && <span class="second-line">{detail}</span>}
    </span>
  );
}

function reasonOf(task: Task): { title: string; detail: string | null } {
  const { kind, category, terminalId, about, code, message } = task;
  const { overview: words } = text();
  const reasons: Readonly<Record<string, string>> = words.taskReasons;
  const categories: Readonly<Record<string, string>> = words.categories;
  const reason = reasons[kind] ?? null;
  if (category !== null) return { title: categories[category] ?? category, detail: reason };
  if (kind === "terminal_offline" && terminalId !== null) return { title: words.terminalOf(terminalId), detail: reason };
  if (terminalId !== null) return { title: reason ?? kind, detail: words.terminalOf(terminalId) };
  return { title: about ?? reason ?? kind, detail: declineLine({ actionCode: code, message }) ?? reason };
}

function hrefOf({ kind, subject }: Task): string | null {
  if (kind === "unknown") return null;
  if (kind === "terminal_offline") return objectHref("terminals", subject);
  if (kind.startsWith("dispute_")) return objectHref("disputes", subject);
  if (kind.startsWith("alert_")) return objectHref("alerts", subject);
  if (kind.startsWith("link_")) return objectHref("payment-links", subject);
  if (kind.startsWith("subscription_")) return objectHref("subscriptions", subject);
  return objectHref("transactions", subject);
}
