import { useState } from "preact/hooks";
import type { PaymentLinkJson } from "../../../../surfaces/merchant/payment-links/schemas.ts";
import { GATEWAY_DEADLINE_MS } from "../../api/client.ts";
import { Amount } from "../../components/amount.tsx";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Countdown, useIsOver } from "../../components/countdown.tsx";
import { ObjectDrawer } from "../../components/object-drawer.tsx";
import { formatExactTime } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { actionDialog } from "../../list/action-dialog.tsx";
import { may } from "../../state/session.ts";
import { Attempts } from "./attempts.tsx";
import { LinkState } from "./link-state.tsx";
import { ShareLink } from "./share-link.tsx";
import { isBeingPaid, isRefunded } from "./words.ts";

/** Shows everything about one payment link, and what can be done with it. */
export function LinkDrawer({ id, onClose, onChanged }: { id: string; onClose: () => void; onChanged: () => void }) {
  const { paymentLinks: words } = text();
  return (
    <ObjectDrawer<PaymentLinkJson>
      title={words.one}
      path={`/payment-links/${encodeURIComponent(id)}`}
      unknown={{ title: words.unknownTitle, text: words.unknownText }}
      onClose={onClose}
      onChanged={onChanged}
    >
      {(link, { reload }) => <Detail link={link} onReload={reload} />}
    </ObjectDrawer>
  );
}

const CancelDialog = actionDialog<PaymentLinkJson>({
  endpoint: ({ id }) => `/payment-links/${encodeURIComponent(id)}/cancel`,
  deadlineMs: GATEWAY_DEADLINE_MS,
  words: ({ paymentLinks: words }, link) => ({
    title: words.cancelTitle,
    text: isBeingPaid(link) ? words.cancelWhilePaying : words.cancelText,
    confirm: words.cancelNow,
    done: words.cancelDone,
  }),
});

function Detail({ link, onReload }: { link: PaymentLinkJson; onReload: () => void }) {
  const { paymentLinks: words } = text();
  const [cancelling, setCancelling] = useState(false);
  // No payment starts after the expiry, even before the relay marks the link as expired.
  const isOver = useIsOver(link.expiresAt);
  return (
    <>
      <div class="sum">
        <p class="sum-amount">
          <Amount minor={link.amountMinor} currency={link.currency} strong />
        </p>
        <LinkState link={link} />
        <p class="break">{link.description}</p>
      </div>
      <WhatHappened link={link} />
      {link.state === "PENDING" && !isOver && <ShareLink link={link} onChanged={onReload} />}
      <Facts link={link} />
      <div class="uuid">
        <span class="field-label">{words.id}</span>
        <span class="mono">{link.id}</span>
        <CopyButton value={link.id} small />
      </div>
      <Attempts link={link} onRefunded={onReload} />
      {link.state === "PENDING" && may("operate") && (
        <div class="button-row">
          <Button kind="danger-quiet" onClick={() => setCancelling(true)}>
            {words.cancel}
          </Button>
        </div>
      )}
      {cancelling && <CancelDialog target={link} onClose={() => setCancelling(false)} onSettled={onReload} />}
    </>
  );
}

function lateText({ attempts, cancelledAt }: PaymentLinkJson): string {
  const { paymentLinks: words } = text();
  if (attempts.some(({ state, refund }) => state === "paid" && refund === "done")) return words.paidAgain;
  return cancelledAt === null ? words.lateAfterExpiry : words.lateAfterCancel;
}

/** Explains what is unusual about the link and what to do about it. */
function WhatHappened({ link }: { link: PaymentLinkJson }) {
  const { paymentLinks: words } = text();
  const mayRefund = may("refund");
  if (link.paidTwice) {
    return (
      <Banner kind="danger">
        <p>{words.paidTwiceText}</p>
        <p>{mayRefund ? words.paidTwiceDo : words.askToRefund}</p>
      </Banner>
    );
  }
  if (link.state === "PAID" && link.late && !isRefunded(link)) {
    return (
      <Banner kind="warning">
        <p>{lateText(link)}</p>
        <p>{mayRefund ? words.lateDo : words.askToRefund}</p>
      </Banner>
    );
  }
  if (isBeingPaid(link)) return <Banner>{link.state === "PENDING" ? words.payingNow : words.stillPaying}</Banner>;
  return null;
}

function Facts({ link }: { link: PaymentLinkJson }) {
  const { paymentLinks: words, app, audit } = text();
  const creators: Readonly<Record<PaymentLinkJson["creator"], string>> = {
    user: link.createdBy,
    former_user: words.formerUser,
    key: audit.actors["API key"],
    agent: words.agent,
  };
  return (
    <dl class="facts">
      <dt>{words.created}</dt>
      <dd>{formatExactTime(link.createdAt)}</dd>
      <dt>{words.createdBy}</dt>
      <dd class="break">{creators[link.creator]}</dd>
      {link.state === "PENDING" ? (
        <>
          <dt>{words.expires}</dt>
          <dd>
            {formatExactTime(link.expiresAt)}
            <br />
            <Countdown until={link.expiresAt} />
          </dd>
        </>
      ) : (
        <>
          <dt>{words.payableUntil}</dt>
          <dd>{formatExactTime(link.expiresAt)}</dd>
        </>
      )}
      {link.paidAt !== null && (
        <>
          <dt>{words.paid}</dt>
          <dd>{formatExactTime(link.paidAt)}</dd>
        </>
      )}
      {link.cancelledAt !== null && (
        <>
          <dt>{words.cancelled}</dt>
          <dd>{formatExactTime(link.cancelledAt)}</dd>
        </>
      )}
      <dt>{words.reference}</dt>
      <dd class="break">{link.reference ?? "–"}</dd>
      <dt>{words.customerEmail}</dt>
      <dd class="break">{link.customerEmail ?? "–"}</dd>
      <dt>{words.mails}</dt>
      <dd>{link.mails === 0 ? app.none : words.mailCount(link.mails)}</dd>
    </dl>
  );
}
