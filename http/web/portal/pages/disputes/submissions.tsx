import { Fragment } from "preact";
import type { DisputeJson, DisputeResponseJson } from "../../../../surfaces/merchant/disputes/schemas.ts";
import { Time } from "../../components/time.tsx";
import { text } from "../../i18n/texts.ts";
import { KeptFiles } from "./kept-files.tsx";
import { fieldLabel } from "./written.ts";

/** Lists the submitted responses, newest first. */
export function Submissions({ dispute }: { dispute: DisputeJson }) {
  const { disputes: words } = text();
  const { responses } = dispute;
  if (responses.length === 0) return null;
  return (
    <section class="form section" aria-label={words.submission.title}>
      <h3>{words.submission.title}</h3>
      {[...responses].reverse().map((response, index) => (
        <Submission
          key={response.id}
          response={response}
          dispute={dispute}
          title={responses.length === 1 ? null : words.submission.titleOf(responses.length - index)}
        />
      ))}
    </section>
  );
}

function Submission({ response, dispute, title }: { response: DisputeResponseJson; dispute: DisputeJson; title: string | null }) {
  const { disputes: words } = text();
  const { state, submittedAt, statement, fields, fileIds } = response;
  return (
    <article class="submission" aria-label={title ?? words.submission.title}>
      <header class="try-head">
        <strong>{title === null ? words.submission.states[state] : `${title} · ${words.submission.states[state]}`}</strong>
        <Time at={submittedAt} />
      </header>
      <WhatIsSaid statement={statement} fields={fields} />
      <KeptFiles disputeId={dispute.id} files={dispute.files.filter(({ id }) => fileIds.includes(id))} />
    </article>
  );
}

/** Shows a statement and its answers as the bank will read them. */
export function WhatIsSaid({ statement, fields }: { statement: string | null; fields: Readonly<Record<string, string>> }) {
  const answers = Object.entries(fields).filter(([, value]) => value !== "");
  return (
    <>
      {statement !== null && <p class="statement">{statement}</p>}
      {answers.length > 0 && (
        <dl class="facts">
          {answers.map(([name, value]) => (
            <Fragment key={name}>
              <dt>{fieldLabel(name)}</dt>
              <dd class="break">{value}</dd>
            </Fragment>
          ))}
        </dl>
      )}
    </>
  );
}
