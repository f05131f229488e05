import { useState } from "preact/hooks";
import { AGENT_SCOPES } from "../../../../../engine/access/words.ts";
import type { AgentCredentialJson } from "../../../../surfaces/merchant/agent-credentials/schemas.ts";
import { Badge, type BadgeKind } from "../../components/badge.tsx";
import { Banner } from "../../components/banner.tsx";
import { Button, ButtonLink } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Icon } from "../../components/icon.tsx";
import { ObjectDrawer } from "../../components/object-drawer.tsx";
import { Time } from "../../components/time.tsx";
import { formatDateTime, formatExactTime, formatMoney, formatNumber } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { actionDialog } from "../../list/action-dialog.tsx";
import { listHref } from "../../list/declaration.ts";
import { may } from "../../state/session.ts";
import { AgentState } from "./agent-state.ts";
import { Usage } from "./usage.tsx";
import { actorText, type Details, isUsable, toolText } from "./words.ts";

/** The page warns when a credential expires within this time. */
const SOON_MS = 3 * 86_400_000;

/** Shows everything about one credential, and what can be done with it. */
export function AgentDrawer({ id, onClose, onChanged }: { id: string; onClose: () => void; onChanged: () => void }) {
  const { agents: words } = text();
  return (
    <ObjectDrawer<AgentCredentialJson>
      title={words.one}
      path={pathOf(id)}
      unknown={{ title: words.unknownTitle, text: words.unknownText }}
      onClose={onClose}
      onChanged={onChanged}
    >
      {(credential, { reload }) => <Detail credential={credential} onChanged={reload} />}
    </ObjectDrawer>
  );
}

function pathOf(id: string): string {
  return `/agent-credentials/${encodeURIComponent(id)}`;
}

const RevokeDialog = actionDialog<AgentCredentialJson>({
  endpoint: ({ id }) => pathOf(id),
  method: "DELETE",
  words: ({ agents: words }, { name }) => ({
    title: words.revokeTitle(name),
    text: words.revokeText,
    confirm: words.revoke,
    done: words.revokeDone(name),
  }),
});

function Detail({ credential, onChanged }: { credential: AgentCredentialJson; onChanged: () => void }) {
  const { agents: words } = text();
  const { id, name, state, last4, limits, details } = credential;
  const [asking, setAsking] = useState(false);
  return (
    <>
      <div class="sum">
        <p class="sum-amount sum-name break">{name}</p>
        <AgentState state={state} />
        <p class="muted">{words.token(last4)}</p>
      </div>
      <WhatToKnow credential={credential} />
      {details !== undefined && <Usage limits={limits} usage={details.usage} />}
      <Permits scopes={credential.scopes} />
      {details !== undefined && (
        <>
          <Facts credential={credential} details={details} />
          <Calls calls={details.calls} />
        </>
      )}
      <div class="uuid">
        <span class="field-label">{words.id}</span>
        <span class="mono">{id}</span>
        <CopyButton value={id} small />
      </div>
      <div class="button-row">
        {limits !== null && (
          <ButtonLink icon="link" href={listHref("payment-links", { agentId: id })}>
            {words.showLinks}
          </ButtonLink>
        )}
        {isUsable(credential) && may("administer agents") && (
          <Button kind="danger-quiet" onClick={() => setAsking(true)}>
            {words.revoke}
          </Button>
        )}
      </div>
      {asking && <RevokeDialog target={credential} onClose={() => setAsking(false)} onSettled={onChanged} />}
    </>
  );
}

/** Explains the credential's state if it is unusual. */
function WhatToKnow({ credential: { state, limits, expiresAt, details } }: { credential: AgentCredentialJson }) {
  const { say } = text().agents;
  switch (state) {
    case "EXHAUSTED":
      return limits === null ? null : <Banner kind="warning">{say.exhausted(formatMoney(limits.totalMinor, limits.currency))}</Banner>;
    case "EXPIRED":
      return <Banner>{say.expired}</Banner>;
    case "REVOKED":
      return details?.revokedAt == null ? null : (
        <Banner>{say.revoked(formatDateTime(details.revokedAt), actorText(details.revokedBy ?? ""))}</Banner>
      );
    case "ACTIVE":
      return Date.parse(expiresAt) - Date.now() < SOON_MS ? (
        <Banner kind="warning">{say.expiresSoon(formatDateTime(expiresAt))}</Banner>
      ) : null;
  }
}

function Permits({ scopes }: Pick<AgentCredentialJson, "scopes">) {
  const { agents: words } = text();
  return (
    <section class="form section">
      <h3>{words.permits}</h3>
      <ul class="permits">
        {AGENT_SCOPES.filter((scope) => scopes.includes(scope)).map((scope) => (
          <li key={scope}>
            <Icon name="check" size={18} />
            <span>
              {words.scopes[scope]}
              <span class="second-line">{words.scopeHints[scope]}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Facts({ credential: { expiresAt, limits }, details }: { credential: AgentCredentialJson; details: Details }) {
  const { agents: words, app } = text();
  const { createdAt, createdBy, lastUsedAt, ipAllow, usage } = details;
  return (
    <dl class="facts">
      {limits !== null && (
        <>
          <dt>{words.links}</dt>
          <dd>{formatNumber(usage.links)}</dd>
        </>
      )}
      <dt>{words.lastUsed}</dt>
      <dd>{lastUsedAt === null ? app.never : formatExactTime(lastUsedAt)}</dd>
      <dt>{words.expires}</dt>
      <dd>{formatExactTime(expiresAt)}</dd>
      <dt>{words.addresses}</dt>
      <dd>
        {ipAllow.length === 0 ? (
          words.anywhere
        ) : (
          <ul class="plain-list">
            {ipAllow.map((address) => (
              <li key={address} class="mono break">
                {address}
              </li>
            ))}
          </ul>
        )}
      </dd>
      <dt>{words.created}</dt>
      <dd>{formatExactTime(createdAt)}</dd>
      <dt>{words.createdBy}</dt>
      <dd class="break">{actorText(createdBy)}</dd>
    </dl>
  );
}

const CALL_KINDS: Readonly<Record<Details["calls"][number]["outcome"], BadgeKind>> = { done: "good", refused: "warn", failed: "bad" };

/** Lists the latest calls of the agent, newest first. Arguments of calls are not stored. */
function Calls({ calls }: Pick<Details, "calls">) {
  const { agents: words } = text();
  return (
    <section>
      <h3>{words.calls}</h3>
      {calls.length === 0 ? (
        <p class="muted">{words.noCalls}</p>
      ) : (
        <ol class="timeline">
          {calls.map(({ at, tool, outcome, argumentsDigest }) => (
            <li key={`${at} ${tool} ${argumentsDigest}`}>
              <span class="timeline-what badges">
                {toolText(tool)} <Badge kind={CALL_KINDS[outcome]}>{words.callOutcomes[outcome]}</Badge>
              </span>
              <Time at={at} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
