import { useState } from "preact/hooks";
import type { DisputeJson } from "../../../../surfaces/merchant/disputes/schemas.ts";
import { Amount } from "../../components/amount.tsx";
import { Banner } from "../../components/banner.tsx";
import { useIsOver } from "../../components/countdown.tsx";
import { DueTime } from "../../components/due-time.tsx";
import { ObjectDrawer } from "../../components/object-drawer.tsx";
import { formatExactTime } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { may } from "../../state/session.ts";
import { DisputeFacts } from "./dispute-facts.tsx";
import { DisputeState } from "./dispute-state.ts";
import { DisputeTimeline } from "./dispute-timeline.tsx";
import { KeptFiles } from "./kept-files.tsx";
import { PaymentBeside, usePayment } from "./payment-beside.tsx";
import { ResponseForm } from "./response-form.tsx";
import { Submissions } from "./submissions.tsx";

/** Shows everything about one dispute, and edits the response to it. */
export function DisputeDrawer({ id, onClose, onChanged }: { id: string; onClose: () => void; onChanged: () => void }) {
  const { disputes: words } = text();
  /** Names what closing the drawer would lose; null for nothing. */
  const [unsaved, setUnsaved] = useState<"text" | "uploads" | null>(null);
  const loss = { text: words.respond.unsavedText, uploads: words.respond.unsavedUploads };
  return (
    <ObjectDrawer<DisputeJson>
      title={words.one}
      path={`/disputes/${encodeURIComponent(id)}`}
      unknown={{ title: words.unknownTitle, text: words.unknownText }}
      wide
      lines={10}
      unsaved={unsaved === null ? null : loss[unsaved]}
      onClose={onClose}
      onChanged={onChanged}
    >
      {(dispute, { reload, replace }) => <Detail dispute={dispute} onUnsaved={setUnsaved} onStored={replace} onReload={reload} />}
    </ObjectDrawer>
  );
}

function Detail({
  dispute,
  onUnsaved,
  onStored,
  onReload,
}: {
  dispute: DisputeJson;
  onUnsaved: (unsaved: "text" | "uploads" | null) => void;
  onStored: (stored: DisputeJson) => void;
  onReload: () => void;
}) {
  const { amountMinor, currency, status, respondBy, category, answerable, files } = dispute;
  const { disputes: words } = text();
  // No response is accepted after the due time, even before the relay marks the dispute as expired.
  const isOver = useIsOver(respondBy);
  const isOpen = answerable && !isOver;
  const payment = usePayment(dispute.uuid);
  const frozen = files.filter(({ submitted }) => !submitted);
  return (
    <div class="case-columns">
      <div class="case-main">
        <div class="sum">
          <p class="sum-amount">
            <Amount minor={amountMinor} currency={currency} strong />
          </p>
          <div class="badges">
            <DisputeState state={status} />
            {isOpen && <DueTime until={respondBy} />}
          </div>
          <p>{words.categories[category]}</p>
        </div>
        <WhatToDo dispute={dispute} isOver={isOver} />
        {isOpen && may("operate") ? (
          <ResponseForm dispute={dispute} onUnsaved={onUnsaved} onStored={onStored} onReload={onReload} />
        ) : (
          frozen.length > 0 && (
            <section class="form section" aria-label={words.evidence.title}>
              <h3>{words.evidence.title}</h3>
              <KeptFiles disputeId={dispute.id} files={frozen} />
            </section>
          )
        )}
        <Submissions dispute={dispute} />
      </div>
      <div class="case-side">
        <DisputeFacts dispute={dispute} />
        <PaymentBeside uuid={dispute.uuid} payment={payment} />
        <DisputeTimeline dispute={dispute} />
      </div>
    </div>
  );
}

/** Explains the dispute's state in one sentence, and what can be done. */
function WhatToDo({ dispute, isOver }: { dispute: DisputeJson; isOver: boolean }) {
  const { say, dueAt } = text().disputes;
  const { status, respondBy, outcome, answerable } = dispute;
  if (answerable && isOver) return <Banner kind="danger">{say.timeOver}</Banner>;
  switch (status) {
    case "OPEN":
    case "EVIDENCE_REQUIRED":
      return (
        <Banner kind="warning">
          <p>
            <strong>{dueAt(formatExactTime(respondBy))}</strong>
          </p>
          <p>{status === "OPEN" ? say.open : say.evidenceRequired}</p>
          {!may("operate") && <p>{say.look}</p>}
        </Banner>
      );
    case "UNDER_REVIEW":
      return <Banner>{say.underReview}</Banner>;
    case "WON":
      return <Banner kind="success">{say.won}</Banner>;
    case "LOST":
      return <Banner kind="danger">{outcome?.by === "accepted" ? say.accepted : say.lost}</Banner>;
    case "EXPIRED":
      return <Banner kind="danger">{say.expired}</Banner>;
  }
}
