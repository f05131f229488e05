import { useState } from "preact/hooks";
import { ROLLOUT_STATES } from "../../../../../engine/fleet/words.ts";
import { get } from "../../../portal/api/client.ts";
import { hasCode } from "../../../portal/api/errors.ts";
import { Banner } from "../../../portal/components/banner.tsx";
import { Drawer } from "../../../portal/components/dialog.tsx";
import { LiveList } from "../../../portal/components/live-list.tsx";
import { Loaded } from "../../../portal/components/panel.tsx";
import { Table } from "../../../portal/components/table.tsx";
import { Time } from "../../../portal/components/time.tsx";
import { formatNumber } from "../../../portal/i18n/format.ts";
import { text } from "../../../portal/i18n/texts.ts";
import { useResource } from "../../../portal/state/resource.ts";
import type { DeploymentJson, RolloutProgressJson, RolloutTerminalJson } from "../../api/types.ts";
import { Facts } from "../../components/facts.tsx";
import { words } from "../../i18n/texts.ts";
import { pageHref } from "../../state/addresses.ts";
import { may } from "../../state/session.ts";
import { DeploymentState, DeploymentSteps } from "./steps.tsx";

const EVERY_MS = 5_000;

type State = (typeof ROLLOUT_STATES)[number];

/** Watches one roll-out: its steps, how many terminals are in each state and which, and why installs failed. */
export function RolloutDrawer({
  id,
  nameOf,
  onClose,
  onChanged,
}: {
  id: string;
  nameOf: (versionId: number) => string;
  onClose: () => void;
  onChanged: () => void;
}) {
  const { rollouts: own } = words();
  const path = `/app-deployments/${encodeURIComponent(id)}`;
  const progress = useResource(path, (signal) => get<RolloutProgressJson>(`${path}/progress`, { signal }), { everyMs: EVERY_MS });
  const [round, setRound] = useState(0);
  const { data } = progress;
  const title = data === null ? own.rollout : own.titleOf(nameOf(data.deployment.versionId));
  return (
    <Drawer title={title} onClose={onClose} wide>
      {hasCode(progress.error, "not_found") || hasCode(progress.error, "invalid_request") ? (
        <Banner kind="warning">{own.unknown}</Banner>
      ) : (
        <Loaded of={progress}>
          {(loaded) => (
            <>
              <Overview progress={loaded} />
              {may("operator") && (
                <DeploymentSteps
                  deployment={loaded.deployment}
                  versionName={nameOf(loaded.deployment.versionId)}
                  onChanged={() => {
                    progress.reload();
                    setRound((before) => before + 1);
                    onChanged();
                  }}
                />
              )}
              <Failures failures={loaded.failures} />
              <Terminals path={path} counts={loaded.counts} round={round} />
            </>
          )}
        </Loaded>
      )}
    </Drawer>
  );
}

export function targetOf({ target, terminalId, merchantId }: DeploymentJson): string {
  const { rollouts: own } = words();
  return target === "terminal" ? own.toTerminal(terminalId ?? "") : target === "merchant" ? own.toMerchant(merchantId ?? "") : own.toAll;
}

/** The share of the target, or the rings that have started. */
export function shareOf({ rolloutPercent, rings, ringsStarted = 0 }: DeploymentJson): string {
  const { rollouts: own } = words();
  return rings === undefined ? own.percent(formatNumber(rolloutPercent)) : own.ringsStarted(ringsStarted, rings.length);
}

function Overview({ progress: { deployment, complete } }: { progress: RolloutProgressJson }) {
  const { rollouts: own } = words();
  const { rings, ringsStarted = 0, pauseAtFailurePercent, pauseAfterReports, advanceAfterReports } = deployment;
  const ringText = ({ groups, percent }: { groups: readonly string[]; percent: number }) =>
    [...groups, ...(percent === 0 ? [] : [own.percent(formatNumber(percent))])].join(", ");
  return (
    <>
      {!complete && <Banner kind="warning">{own.incomplete}</Banner>}
      <Facts
        of={[
          [own.state, <DeploymentState key="state" deployment={deployment} />],
          [own.target, targetOf(deployment)],
          [own.share, shareOf(deployment)],
          rings === undefined
            ? null
            : [
                own.rings,
                <ol key="rings" class="ring-list">
                  {rings.map((ring, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: rings have no other name than their place.
                    <li key={index} class={index < ringsStarted ? undefined : "muted"}>
                      {ringText(ring)}
                      {index < ringsStarted ? "" : ` · ${own.ringWaits}`}
                    </li>
                  ))}
                </ol>,
              ],
          rings === undefined
            ? null
            : [own.nextRing, advanceAfterReports == null ? own.byHand : own.afterReports(formatNumber(advanceAfterReports))],
          [
            own.autoPause,
            pauseAtFailurePercent === null
              ? own.never
              : own.atFailures(own.percent(formatNumber(pauseAtFailurePercent)), formatNumber(pauseAfterReports)),
          ],
          [own.created, <Time key="created" at={deployment.createdAt} as="exact" />],
        ]}
      />
    </>
  );
}

function Failures({ failures }: Pick<RolloutProgressJson, "failures">) {
  const { rollouts: own } = words();
  if (failures.length === 0) return null;
  return (
    <section>
      <h3>{own.failures}</h3>
      <Table
        caption={own.failures}
        rows={failures}
        keyOf={({ reason }) => reason ?? ""}
        columns={[
          { key: "reason", header: own.reason, cell: ({ reason }) => <span class="break">{reason ?? own.noReason}</span> },
          { key: "terminals", header: own.terminals, align: "right", cell: ({ terminals }) => formatNumber(terminals) },
        ]}
      />
    </section>
  );
}

function Terminals({ path, counts, round }: { path: string; counts: RolloutProgressJson["counts"]; round: number }) {
  const { rollouts: own } = words();
  const { terminals: common } = text();
  const [state, setState] = useState<State | null>(null);
  const query = state === null ? {} : { state };
  return (
    <section>
      <h3>{own.terminals}</h3>
      <ul class="state-tiles" aria-label={own.terminals}>
        {ROLLOUT_STATES.map((one) => (
          <li key={one}>
            <button type="button" class="kind" aria-pressed={one === state} onClick={() => setState(one === state ? null : one)}>
              <span class="state-count">{formatNumber(counts[one])}</span>
              <span class="kind-foot">{own.terminalStates[one]}</span>
            </button>
          </li>
        ))}
      </ul>
      <LiveList<RolloutTerminalJson>
        key={state ?? "all"}
        path={`${path}/terminals`}
        query={query}
        round={round}
        empty={<p class="panel-note muted">{own.noTerminals}</p>}
        end={(count) => own.countOf(formatNumber(count))}
      >
        {(items) => (
          <Table
            caption={own.terminals}
            rows={items}
            keyOf={({ terminalId }) => terminalId}
            columns={[
              {
                key: "id",
                header: common.terminal,
                cell: ({ terminalId }) => (
                  <a class="mono" href={pageHref("terminals", terminalId)}>
                    {terminalId}
                  </a>
                ),
              },
              { key: "state", header: own.state, cell: (one) => own.terminalStates[one.state] },
              { key: "version", header: common.version, cell: ({ appVersion }) => appVersion ?? "–" },
              { key: "model", header: common.model, cell: ({ deviceModel }) => deviceModel ?? "–", priority: 3 },
              { key: "reason", header: own.reason, cell: ({ reason }) => <span class="break">{reason ?? "–"}</span> },
            ]}
          />
        )}
      </LiveList>
    </section>
  );
}
