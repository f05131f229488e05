import { useId } from "preact/hooks";
import type { DisputeItemJson, DisputeStatsJson } from "../../../../surfaces/merchant/disputes/schemas.ts";
import { get, type Query } from "../../api/client.ts";
import type { ListJson } from "../../api/types.ts";
import { Amount } from "../../components/amount.tsx";
import { DueTime } from "../../components/due-time.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded, Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Time } from "../../components/time.tsx";
import { text } from "../../i18n/texts.ts";
import { useResource } from "../../state/resource.ts";
import { useRounds } from "../../state/rounds.ts";
import { DisputeState } from "./dispute-state.ts";
import { DUE_DAYS_MAX, disputesHref, itemHref } from "./words.ts";

/** Each column shows only its first items, and the last one the newest. The list shows the rest. */
const SHOWN_MAX = 25;
const ENDED_MAX = 5;

type Items = ListJson<DisputeItemJson>;
type ColumnName = "alerts" | "toAnswer" | "underReview" | "ended";

/**
 * Shows what needs a decision or a response by due time, what is under review, and what has ended.
 */
export function Board({ everyMs, round, stats }: { everyMs: number; round: number; stats: DisputeStatsJson | null }) {
  const { disputes: words } = text();
  const board = useResource("disputes board", loadBoard, { everyMs });
  useRounds(round, board.reload);
  return (
    <Loaded
      of={board}
      skeleton={
        <Panel>
          <Skeleton lines={8} />
        </Panel>
      }
    >
      {(columns) =>
        Object.values(columns).every(({ items }) => items.length === 0) ? (
          <Panel>
            <EmptyState icon="dispute" title={words.emptyTitle}>
              {words.emptyText}
            </EmptyState>
          </Panel>
        ) : (
          <div class="board">
            <BoardColumn name="alerts" list={columns.alerts} count={stats?.alerts.counts["PENDING"]} filters={{ status: "ALERT" }} />
            <BoardColumn
              name="toAnswer"
              list={columns.toAnswer}
              count={countOf(stats, "OPEN", "EVIDENCE_REQUIRED")}
              filters={{ dueWithinDays: DUE_DAYS_MAX, includeAlerts: "false" }}
            />
            <BoardColumn
              name="underReview"
              list={columns.underReview}
              count={countOf(stats, "UNDER_REVIEW")}
              filters={{ status: "UNDER_REVIEW" }}
            />
            <BoardColumn
              name="ended"
              list={columns.ended}
              count={countOf(stats, "WON", "LOST", "EXPIRED")}
              filters={{ includeAlerts: "false" }}
            />
          </div>
        )
      }
    </Loaded>
  );
}

async function loadBoard(signal: AbortSignal): Promise<Record<ColumnName, Items>> {
  const load = (query: Query) => get<Items>("/disputes", { signal, query });
  const [alerts, toAnswer, underReview, ...ended] = await Promise.all([
    load({ status: "ALERT", dueWithinDays: DUE_DAYS_MAX, limit: SHOWN_MAX }),
    load({ dueWithinDays: DUE_DAYS_MAX, includeAlerts: "false", limit: SHOWN_MAX }),
    load({ status: "UNDER_REVIEW", limit: SHOWN_MAX }),
    ...["WON", "LOST", "EXPIRED"].map((status) => load({ status, limit: ENDED_MAX })),
  ]);
  const newest = ended.flatMap(({ items }) => items).sort((one, other) => Date.parse(other.updatedAt) - Date.parse(one.updatedAt));
  const hasMore = newest.length > ENDED_MAX || ended.some(({ next }) => next !== null);
  return { alerts, toAnswer, underReview, ended: { items: newest.slice(0, ENDED_MAX), next: hasMore ? "more" : null } };
}

function countOf(stats: DisputeStatsJson | null, ...states: string[]): number | undefined {
  return stats === null ? undefined : states.reduce((sum, state) => sum + (stats.counts[state] ?? 0), 0);
}

function BoardColumn({
  name,
  list,
  count,
  filters,
}: {
  name: ColumnName;
  list: Items;
  /** The count comes from the figures above, because the column may not show all items. */
  count: number | undefined;
  filters: Readonly<Record<string, string>>;
}) {
  const { disputes: words } = text();
  const heading = useId();
  const shown = Math.max(count ?? 0, list.items.length);
  return (
    <section class="board-column" aria-labelledby={heading}>
      <header class="board-head">
        <h2 id={heading}>{words.columns[name]}</h2>
        <span class="board-count">
          <span aria-hidden="true">{shown}</span>
          <span class="visually-hidden">{words.columns.count(shown)}</span>
        </span>
      </header>
      {list.items.length === 0 ? (
        <p class="board-none">{words.columns.none[name]}</p>
      ) : (
        <ul class="board-cases">
          {list.items.map((item) => (
            <li key={item.id}>
              <Case item={item} isDue={name === "alerts" || name === "toAnswer"} />
            </li>
          ))}
        </ul>
      )}
      {list.next !== null && (
        <a class="board-all" href={disputesHref(filters)} aria-label={words.columns.allOf(words.columns[name])}>
          {words.columns.all}
        </a>
      )}
    </section>
  );
}

function Case({ item, isDue }: { item: DisputeItemJson; isDue: boolean }) {
  const { disputes: words, alerts } = text();
  const { kind, network, networkCaseId, stage, amountMinor, currency, status, category, respondBy, updatedAt } = item;
  const sources: Readonly<Record<string, string>> = alerts.sources;
  return (
    <a class="case" href={itemHref(item)} aria-haspopup="dialog">
      <span class="case-head">
        <Amount minor={amountMinor} currency={currency} strong />
        {isDue && <DueTime until={respondBy} />}
      </span>
      <span class="case-reason">{words.categories[category]}</span>
      <span class="case-facts">
        {kind === "alert" ? (sources[network] ?? network) : `${network}${stage === null ? "" : ` · ${words.stages[stage]}`}`}
        <span class="case-number">{networkCaseId}</span>
      </span>
      <span class="case-foot">
        <DisputeState state={status} />
        {!isDue && <Time at={updatedAt} as="date" />}
      </span>
    </a>
  );
}
