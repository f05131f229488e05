import type { ExportJson } from "../../../../surfaces/merchant/exports/schemas.ts";
import { Clip } from "../../components/clip.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { LiveList } from "../../components/live-list.tsx";
import { Page } from "../../components/page.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { formatDays } from "../../i18n/days.ts";
import { formatNumber } from "../../i18n/format.ts";
import { isDay } from "../../i18n/is-day.ts";
import { text } from "../../i18n/texts.ts";
import { sizeText } from "../disputes/file-problems.ts";
import { DownloadButton } from "./download-button.tsx";
import { ExportState } from "./export-state.ts";
import { creatorText, failureText } from "./words.ts";

/** Lists the requested exports while their files are stored. */
export function ExportsPage() {
  const { exports: words } = text();
  return (
    <Page title={words.title} lead={words.lead}>
      <LiveList<ExportJson>
        path="/exports"
        query={{}}
        end={words.end}
        empty={
          <EmptyState icon="download" title={words.emptyTitle}>
            {words.emptyText}
          </EmptyState>
        }
      >
        {(items) => <Table caption={words.title} columns={columnsOf()} rows={items} keyOf={({ id }) => id} />}
      </LiveList>
    </Page>
  );
}

function columnsOf(): Column<ExportJson>[] {
  const { exports: words } = text();
  return [
    {
      key: "file",
      header: words.file,
      cell: ({ list, format, personalData, filters }) => (
        <span class="two-lines">
          <span>{words.lists[list]}</span>
          <span class="second-line">
            {[words.formats[format], ...filterTexts(filters), ...(personalData ? [words.personal] : [])].join(" · ")}
          </span>
        </span>
      ),
    },
    {
      key: "state",
      header: words.state,
      cell: (item) => (
        <span class="two-lines">
          <ExportState state={item.state} />
          {item.state === "FAILED" && <span class="second-line export-failure">{failureText(item)}</span>}
          {item.state === "READY" && item.expiresAt !== null && (
            <span class="second-line">
              {words.expires} <Time at={item.expiresAt} />
            </span>
          )}
        </span>
      ),
    },
    {
      key: "size",
      header: words.size,
      align: "right",
      cell: ({ rows, bytes }) => (
        <span class="two-lines export-size">
          <span class="nowrap">{rows === null ? "–" : words.rows(formatNumber(rows))}</span>
          {bytes !== null && <span class="second-line nowrap">{sizeText(bytes)}</span>}
        </span>
      ),
    },
    {
      key: "created",
      header: words.created,
      cell: (item) => (
        <span class="two-lines">
          <Time at={item.createdAt} />
          <Clip look="second-line">{creatorText(item)}</Clip>
        </span>
      ),
    },
    {
      key: "download",
      header: words.download,
      align: "right",
      cell: (item) => (item.state === "READY" ? <DownloadButton item={item} small /> : "–"),
    },
  ];
}

/** Describes the filters of an export: the days, and the number of other filters. */
function filterTexts({ from, to, ...others }: ExportJson["filters"]): string[] {
  const { scope } = text().exports;
  const count = Object.keys(others).length;
  return [...daysText(String(from ?? ""), String(to ?? "")), ...(count === 0 ? [] : [scope.filters(count)])];
}

function daysText(from: string, to: string): string[] {
  const { scope } = text().exports;
  if (isDay(from) && isDay(to)) return [formatDays(from, to)];
  if (isDay(from)) return [scope.from(formatDays(from, from))];
  return isDay(to) ? [scope.until(formatDays(to, to))] : [];
}
