import type { TerminalLifeJson } from "../../../../surfaces/admin/terminal-life-schemas.ts";
import { get } from "../../../portal/api/client.ts";
import { Amount } from "../../../portal/components/amount.tsx";
import { Badge, type BadgeKind } from "../../../portal/components/badge.tsx";
import { Banner } from "../../../portal/components/banner.tsx";
import { Loaded } from "../../../portal/components/panel.tsx";
import { Time } from "../../../portal/components/time.tsx";
import { text } from "../../../portal/i18n/texts.ts";
import { useResource } from "../../../portal/state/resource.ts";
import { Facts } from "../../components/facts.tsx";
import { words } from "../../i18n/texts.ts";
import { searchHref } from "../search/address.ts";

const EVERY_MS = 5_000;

const KINDS: Readonly<Record<string, BadgeKind>> = { queued: "warn", sent: "warn", done: "good", unknown: "bad" };

/** What a terminal was last asked, what it answered lately, and what it has logged. */
export function TerminalLife({ path }: { path: string }) {
  const life = useResource(`${path}/life`, (signal) => get<TerminalLifeJson>(`${path}/life`, { signal }), { everyMs: EVERY_MS });
  return (
    <Loaded of={life}>
      {({ command, results, resultsAway, logs }) => (
        <>
          <LatestCommand command={command} />
          <Results results={results} away={resultsAway} />
          <Logs logs={logs} />
        </>
      )}
    </Loaded>
  );
}

function LatestCommand({ command }: Pick<TerminalLifeJson, "command">) {
  const { terminals: own } = words();
  if (command === null) {
    return (
      <section>
        <h3>{own.current}</h3>
        <p class="muted">{own.noCommand}</p>
      </section>
    );
  }
  const { uuid, service, state, acceptedAt, sentAt, finishedAt, attempts } = command;
  const at = (time: string | null) => (time === null ? "–" : <Time at={time} as="exact" />);
  return (
    <section>
      <h3>{own.current}</h3>
      <Facts
        of={[
          [
            own.uuid,
            <a key="uuid" class="mono break" href={searchHref(uuid)}>
              {uuid}
            </a>,
          ],
          [own.kind, service ?? "–"],
          [
            own.state,
            <Badge key="state" kind={KINDS[state] ?? "neutral"}>
              {own.commandStates[state] ?? state}
            </Badge>,
          ],
          [own.accepted, at(acceptedAt)],
          [own.sent, at(sentAt)],
          finishedAt === null ? null : [own.finished, at(finishedAt)],
          [own.attempts, attempts],
        ]}
      />
    </section>
  );
}

function Results({ results, away }: Pick<TerminalLifeJson, "results"> & { away: boolean }) {
  const { terminals: own } = words();
  const { transactions, methods } = text();
  const names: Readonly<Record<string, string>> = methods;
  return (
    <section>
      <h3>{own.results}</h3>
      {away && <Banner kind="warning">{own.resultsAway}</Banner>}
      {!away && results.length === 0 && <p class="muted">{own.noResults}</p>}
      <ul class="results">
        {results.map(({ uuid, at, method, status, amountMinor, currency }) => (
          <li key={uuid}>
            <a class="result-link" href={searchHref(uuid)}>
              <Amount minor={amountMinor} currency={currency} strong />
              <Badge kind={status === "OK" ? "good" : "bad"}>{transactions.statuses[status]}</Badge>
              <span>{names[method] ?? method}</span>
              <Time at={at} />
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Logs({ logs }: Pick<TerminalLifeJson, "logs">) {
  const { terminals: own } = words();
  return (
    <section>
      <h3>{own.logs}</h3>
      {logs.length === 0 && <p class="muted">{own.noLogs}</p>}
      {logs.map(({ id, at, text: posted }) => (
        <details key={id} class="log">
          <summary>
            <Time at={at} as="exact" />
          </summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls has to be reached. */}
          <pre class="raw" tabIndex={0}>
            {posted}
          </pre>
        </details>
      ))}
    </section>
  );
}
