import type { DisputeJson } from "../../../../surfaces/merchant/disputes/schemas.ts";
import { post } from "../../api/client.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Form, FormActions } from "../../components/form.tsx";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { useSendOnce } from "../../state/send-once.ts";
import { toast } from "../../state/toasts.ts";
import { closed, isClosed } from "./closed.ts";
import { KeptFiles } from "./kept-files.tsx";
import { WhatIsSaid } from "./submissions.tsx";
import { draftOf, type Written } from "./written.ts";

/** Shows the response as the bank will receive it, before it is submitted for good. */
export function PreviewDialog({
  dispute,
  written,
  onClose,
  onSubmitted,
  onReload,
}: {
  dispute: DisputeJson;
  written: Written;
  onClose: () => void;
  onSubmitted: (stored: DisputeJson) => void;
  onReload: () => void;
}) {
  const { respond: words } = text().disputes;
  const { statement, fields } = draftOf(written);
  const sendOnce = useSendOnce();
  const submit = useAction(async () => {
    // The submission contains exactly what is shown here, not what was stored since.
    const body = {
      ...{ action: "CHALLENGE", statement: statement ?? "", fields },
      fileIds: dispute.files.map(({ id }) => id),
    };
    try {
      const path = `/disputes/${encodeURIComponent(dispute.id)}/respond`;
      const stored = await sendOnce(body, (idempotencyKey) => post<DisputeJson>(path, body, { idempotencyKey }));
      toast(words.submitted);
      onSubmitted(stored);
      onClose();
    } catch (error) {
      if (isClosed(error)) closed(error, onReload);
      throw error;
    }
  });
  return (
    <Dialog title={words.previewTitle} onClose={onClose}>
      <Form error={submit.error} busy={submit.busy} onSubmit={() => void submit.run()}>
        <Banner kind="warning">{words.previewText}</Banner>
        {statement === null && <p class="muted">{words.noStatement}</p>}
        <WhatIsSaid statement={statement} fields={fields} />
        <h3>{dispute.files.length === 0 ? words.noFiles : words.fileCount(dispute.files.length)}</h3>
        <KeptFiles disputeId={dispute.id} files={dispute.files} />
        <FormActions>
          <Button onClick={onClose}>{text().app.cancel}</Button>
          <Button type="submit" kind="primary" icon="send" busy={submit.busy}>
            {words.submit}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
