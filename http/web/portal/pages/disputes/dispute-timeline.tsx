import type { DisputeJson } from "../../../../surfaces/merchant/disputes/schemas.ts";
import { Time } from "../../components/time.tsx";
import { text } from "../../i18n/texts.ts";

interface Step {
  key: string;
  at: string;
  what: string;
  more: string | null;
}

/** Lists the events of a dispute, oldest first. */
export function DisputeTimeline({ dispute }: { dispute: DisputeJson }) {
  const { disputes: words } = text();
  return (
    <section class="section">
      <h3>{words.timeline}</h3>
      <ol class="timeline">
        {stepsOf(dispute).map(({ key, at, what, more }) => (
          <li key={key}>
            <span class="timeline-what break">
              {what}
              {more !== null && <span class="second-line">{more}</span>}
            </span>
            <Time at={at} as="date" />
          </li>
        ))}
      </ol>
    </section>
  );
}

function stepsOf({ createdAt, files, responses, outcome, status, respondBy }: DisputeJson): Step[] {
  const { happened, by, byKey } = text().disputes;
  const steps: Step[] = [
    { key: "received", at: createdAt, what: happened.received, more: null },
    ...files.map(({ id, name, uploadedAt }) => ({ key: id, at: uploadedAt, what: happened.file(name), more: null })),
    ...responses.map(({ id, submittedAt, byType, by: who }) => ({
      ...{ key: id, at: submittedAt, what: happened.submitted },
      more: byType === "key" ? byKey : byType === "former_user" ? by(text().paymentLinks.formerUser) : by(who),
    })),
  ];
  if (outcome !== null) {
    const what = outcome.by === "accepted" ? happened.accepted : outcome.result === "WON" ? happened.won : happened.lost;
    steps.push({ key: "outcome", at: outcome.at, what, more: null });
  }
  if (status === "EXPIRED") steps.push({ key: "expired", at: respondBy, what: happened.expired, more: null });
  return steps.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}
