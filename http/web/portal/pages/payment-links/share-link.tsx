import { useState } from "preact/hooks";
import type { PaymentLinkJson } from "../../../../surfaces/merchant/payment-links/schemas.ts";
import { isAborted } from "../../api/errors.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { formatDateTime, formatMoney } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { may, merchant } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { SendDialog } from "./send-dialog.tsx";

/** Offers to copy the link, show it as a QR code, send it by mail or share it with another app. */
export function ShareLink({ link, onChanged }: { link: PaymentLinkJson; onChanged: (link: PaymentLinkJson) => void }) {
  const { paymentLinks: words } = text();
  const [showing, setShowing] = useState(false);
  const [sending, setSending] = useState(false);
  const share = useAction(async () => {
    try {
      await navigator.share({ title: merchant.value?.merchantName ?? "", text: shareText(link), url: link.url });
    } catch (error) {
      // The person closed the system's dialog.
      if (!isAborted(error)) toast(words.shareFailed, "failed");
    }
  });
  return (
    <>
      <div class="share-link">
        <span class="field-label">{words.url}</span>
        <code class="mono">{link.url}</code>
        <div class="button-row">
          <CopyButton value={link.url} label={words.copyLink} />
          {link.qr !== null && (
            <Button icon="qr" onClick={() => setShowing(true)}>
              {words.qr}
            </Button>
          )}
          {may("operate") && (
            <Button icon="mail" onClick={() => setSending(true)}>
              {words.send}
            </Button>
          )}
          {"share" in navigator && (
            <Button icon="send" busy={share.busy} onClick={() => void share.run()}>
              {words.share}
            </Button>
          )}
        </div>
      </div>
      {showing && link.qr !== null && <QrDialog link={link} qr={link.qr} onClose={() => setShowing(false)} />}
      {sending && <SendDialog link={link} onClose={() => setSending(false)} onSent={onChanged} />}
    </>
  );
}

function shareText({ amountMinor, currency, description }: PaymentLinkJson): string {
  return text().paymentLinks.shareText(merchant.value?.merchantName ?? "", formatMoney(amountMinor, currency), description);
}

/**
 * Shows the code large enough to scan across a counter. A printout holds only the code and what it
 * is for.
 */
function QrDialog({ link, qr, onClose }: { link: PaymentLinkJson; qr: string; onClose: () => void }) {
  const { paymentLinks: words, transactions, app } = text();
  const { amountMinor, currency, description, id, expiresAt, url } = link;
  return (
    <Dialog title={words.qr} onClose={onClose}>
      <div class="qr-paper print-alone">
        <p class="qr-paper-head">{merchant.value?.merchantName}</p>
        {merchant.value?.environment === "TEST" && <p class="muted">{app.test}</p>}
        <p class="qr-paper-amount">{formatMoney(amountMinor, currency)}</p>
        <p class="break">{description}</p>
        <img class="qr qr-large" src={qr} alt={words.qrAlt(url)} width={320} height={320} />
        <p class="muted">{words.payUntil(formatDateTime(expiresAt))}</p>
      </div>
      <div class="button-row no-print">
        <ButtonLink icon="download" href={qr} download={`${id}.svg`}>
          {words.downloadSvg}
        </ButtonLink>
        <Button icon="print" onClick={() => window.print()}>
          {transactions.print}
        </Button>
      </div>
    </Dialog>
  );
}
