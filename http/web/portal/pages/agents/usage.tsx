import { AGENT_LIMITS } from "../../../../../engine/agents/words.ts";
import { UsageBar } from "../../components/usage-bar.tsx";
import { formatMoney, formatNumber } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import type { Details, Limits } from "./words.ts";

/** Shows the sums of the agent's links against its limits. */
export function Usage({ limits, usage }: { limits: Limits | null; usage: Details["usage"] }) {
  const { agents: words } = text();
  if (limits === null) {
    return (
      <section class="form section">
        <h3>{words.usage}</h3>
        <p class="muted">{words.noLimits}</p>
      </section>
    );
  }
  const { currency, perLinkMaxMinor, perDayMinor, totalMinor, linksPerHour } = limits;
  const money = (minor: number) => formatMoney(minor, currency);
  return (
    <section class="form section">
      <h3>{words.usage}</h3>
      <UsageBar
        label={words.totalUse}
        used={usage.totalMinor}
        max={totalMinor}
        words={words.of(money(usage.totalMinor), money(totalMinor))}
        hint={words.totalHint}
      />
      <UsageBar
        label={words.todayUse}
        used={usage.todayMinor}
        max={perDayMinor}
        words={words.of(money(usage.todayMinor), money(perDayMinor))}
        hint={words.todayHint}
      />
      <UsageBar
        label={words.hourUse}
        used={usage.linksInHour}
        max={linksPerHour}
        words={words.of(formatNumber(usage.linksInHour), formatNumber(linksPerHour))}
      />
      <dl class="facts">
        <dt>{words.perLink}</dt>
        <dd>{money(perLinkMaxMinor)}</dd>
      </dl>
      <Refusals refused={usage.refused} />
    </section>
  );
}

/** Shows how often each limit rejected a link. */
function Refusals({ refused }: Pick<Details["usage"], "refused">) {
  const { agents: words } = text();
  const some = AGENT_LIMITS.filter((limit) => refused[limit] > 0);
  return (
    <div>
      <h4>{words.refused}</h4>
      {some.length === 0 ? (
        <p class="muted">{words.notRefused}</p>
      ) : (
        <dl class="facts">
          {some.map((limit) => [<dt key={`${limit} name`}>{words.limits[limit]}</dt>, <dd key={limit}>{words.times(refused[limit])}</dd>])}
        </dl>
      )}
    </div>
  );
}
