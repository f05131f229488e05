import { useLayoutEffect, useState } from "preact/hooks";
import { DISPUTE_FIELD_LENGTH_MAX, DISPUTE_STATEMENT_LENGTH_MAX } from "../../../../../engine/disputes/words.ts";
import type { DisputeJson } from "../../../../surfaces/merchant/disputes/schemas.ts";
import { post, put } from "../../api/client.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { TextAreaField, TextField } from "../../components/field.tsx";
import { Form, FormActions } from "../../components/form.tsx";
import { formatMoney, formatNumber } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { useSendOnce } from "../../state/send-once.ts";
import { toast } from "../../state/toasts.ts";
import { closed, isClosed } from "./closed.ts";
import { useDraft } from "./draft.ts";
import { Evidence } from "./evidence.tsx";
import { Guide } from "./guide.tsx";
import { PreviewDialog } from "./preview-dialog.tsx";
import { useUploads } from "./uploads.ts";
import { draftOf, fieldLabel, isEmpty, isTooLong, LONG, QUESTIONS } from "./written.ts";

/** The counter appears only when the remaining room is small. */
const COUNTED_FROM = 8_000;

export interface ResponseFormProps {
  dispute: DisputeJson;
  onUnsaved: (unsaved: "text" | "uploads" | null) => void;
  /** Receives the dispute after the relay has stored a change. */
  onStored: (stored: DisputeJson) => void;
  /** Runs when the dispute has changed since it was loaded. */
  onReload: () => void;
}

/**
 * Edits the text and the files of a response. Nothing is sent to the bank before it is submitted.
 */
export function ResponseForm({ dispute, onUnsaved, onStored, onReload }: ResponseFormProps) {
  const { disputes: words } = text();
  const draft = useDraft(dispute);
  const { written } = draft;
  const uploads = useUploads(dispute, { onStored, onReload });
  const [previewing, setPreviewing] = useState(false);
  const [accepting, setAccepting] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const unsaved = draft.unsaved ? "text" : uploads.busy ? "uploads" : null;
  // A layout effect runs before the person can press anything else.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it depends on `unsaved` only.
  useLayoutEffect(() => onUnsaved(unsaved), [unsaved]);
  // Nothing is unsaved after the form is closed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs once.
  useLayoutEffect(() => () => onUnsaved(null), []);
  const save = useAction(async () => {
    const body = draftOf(written);
    const path = `/disputes/${encodeURIComponent(dispute.id)}/draft`;
    try {
      const stored = await put<DisputeJson>(path, body);
      draft.stored(stored, written);
      onStored(stored);
      toast(words.respond.saved);
    } catch (error) {
      if (isClosed(error)) closed(error, onReload);
      throw error;
    }
  });
  const names = [...new Set([...QUESTIONS[dispute.category], ...Object.keys(written.fields)])];
  const preview = (): void => {
    const hasNothing = draftOf(written).statement === null && dispute.files.length === 0;
    const why = uploads.busy ? words.respond.uploading : hasNothing ? words.respond.nothing : null;
    setProblem(why);
    if (why === null && !isTooLong(written)) setPreviewing(true);
  };
  return (
    <>
      <Guide category={dispute.category} />
      <section class="section" aria-label={words.respond.title}>
        <Form
          error={save.error}
          busy={save.busy}
          onSubmit={() => {
            if (!isTooLong(written)) void save.run();
          }}
        >
          <div>
            <h3>{words.respond.title}</h3>
            <p class="field-hint">{words.respond.hint}</p>
          </div>
          {draft.theirs !== null && (
            <Banner kind="warning" alert>
              <p>{words.respond.othersDraft}</p>
              <div class="button-row">
                <Button small onClick={draft.takeTheirs}>
                  {words.respond.showTheirs}
                </Button>
              </div>
            </Banner>
          )}
          <TextAreaField
            label={words.respond.statement}
            hint={words.respond.statementHint}
            prose
            rows={8}
            value={written.statement}
            count={
              written.statement.length < COUNTED_FROM
                ? undefined
                : words.respond.statementCount(formatNumber(written.statement.length), formatNumber(DISPUTE_STATEMENT_LENGTH_MAX))
            }
            error={
              written.statement.length > DISPUTE_STATEMENT_LENGTH_MAX
                ? words.respond.tooLong(formatNumber(DISPUTE_STATEMENT_LENGTH_MAX))
                : null
            }
            onInput={(statement) => draft.change({ ...written, statement })}
          />
          <fieldset class="form">
            <legend class="field-label">{words.respond.fields}</legend>
            <p class="field-hint">{words.respond.fieldsHint}</p>
            <div class="answers">
              {names.map((name) => (
                <Answer
                  key={name}
                  name={name}
                  value={written.fields[name] ?? ""}
                  onInput={(value) => draft.change({ ...written, fields: { ...written.fields, [name]: value } })}
                />
              ))}
            </div>
          </fieldset>
          <div class="draft-save">
            <span class="muted">{draft.unsaved ? words.respond.unsavedState : isEmpty(written) ? "" : words.respond.savedState}</span>
            <Button type="submit" busy={save.busy}>
              {words.respond.save}
            </Button>
          </div>
        </Form>
      </section>
      <Evidence dispute={dispute} uploads={uploads} onRemoved={onStored} />
      <section class="section">
        <p class="field-error" role="alert">
          {problem}
        </p>
        <FormActions>
          <Button kind="danger-quiet" onClick={() => setAccepting(true)}>
            {words.respond.accept}
          </Button>
          <Button kind="primary" icon="send" onClick={preview}>
            {words.respond.preview}
          </Button>
        </FormActions>
      </section>
      {previewing && (
        <PreviewDialog
          dispute={dispute}
          written={written}
          onClose={() => setPreviewing(false)}
          onSubmitted={(stored) => {
            draft.stored(stored, written);
            onStored(stored);
          }}
          onReload={onReload}
        />
      )}
      {accepting && <AcceptDialog dispute={dispute} onClose={() => setAccepting(false)} onAccepted={onStored} onReload={onReload} />}
    </>
  );
}

function Answer({ name, value, onInput }: { name: string; value: string; onInput: (value: string) => void }) {
  const { respond: words } = text().disputes;
  const error = value.length > DISPUTE_FIELD_LENGTH_MAX ? words.tooLong(formatNumber(DISPUTE_FIELD_LENGTH_MAX)) : null;
  const shared = { label: fieldLabel(name), value, onInput, error };
  return LONG.includes(name) ? (
    <div class="whole-row">
      <TextAreaField {...shared} prose rows={3} />
    </div>
  ) : (
    <TextField {...shared} autoComplete="off" />
  );
}

function AcceptDialog({
  dispute: { id, amountMinor, currency },
  onClose,
  onAccepted,
  onReload,
}: {
  dispute: DisputeJson;
  onClose: () => void;
  onAccepted: (stored: DisputeJson) => void;
  onReload: () => void;
}) {
  const { respond: words } = text().disputes;
  const sendOnce = useSendOnce();
  return (
    <ConfirmDialog
      title={words.acceptTitle(formatMoney(amountMinor, currency))}
      confirm={words.accept}
      danger
      onClose={onClose}
      act={async () => {
        const body = { action: "ACCEPT" };
        try {
          const path = `/disputes/${encodeURIComponent(id)}/respond`;
          onAccepted(await sendOnce(body, (idempotencyKey) => post<DisputeJson>(path, body, { idempotencyKey })));
        } catch (error) {
          if (isClosed(error)) closed(error, onReload);
          throw error;
        }
        toast(words.accepted);
      }}
    >
      {words.acceptText}
    </ConfirmDialog>
  );
}
