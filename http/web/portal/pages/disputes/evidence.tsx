import { useRef, useState } from "preact/hooks";
import { DISPUTE_FILES_MAX } from "../../../../../engine/disputes/words.ts";
import type { DisputeJson } from "../../../../surfaces/merchant/disputes/schemas.ts";
import { Button, IconButton } from "../../components/button.tsx";
import { SelectField } from "../../components/field.tsx";
import { Icon } from "../../components/icon.tsx";
import { formatPercent } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { ACCEPT, fileProblem, sizeText } from "./file-problems.ts";
import { KeptFiles } from "./kept-files.tsx";
import { FILE_MEGABYTES_MAX, FILES_MEGABYTES_MAX } from "./limits.ts";
import type { Upload, Uploads } from "./uploads.ts";
import type { Category, EvidenceKind } from "./words.ts";

const KINDS = [
  "RECEIPT",
  "INVOICE",
  "DELIVERY",
  "CUSTOMER_COMMUNICATION",
  "REFUND_POLICY",
  "SIGNATURE",
  "SERVICE",
  "OTHER",
] as const satisfies readonly EvidenceKind[];

/** The kind of evidence that is preselected for each category. */
const FIRST: Readonly<Record<Category, EvidenceKind>> = {
  FRAUD: "RECEIPT",
  NOT_RECEIVED: "DELIVERY",
  NOT_AS_DESCRIBED: "INVOICE",
  DUPLICATE: "RECEIPT",
  CANCELLED_RECURRING: "SERVICE",
  OTHER: "RECEIPT",
};

/** Shows the stored files and the running uploads, and accepts more files. */
export function Evidence({
  dispute,
  uploads,
  onRemoved,
}: {
  dispute: DisputeJson;
  uploads: Uploads;
  onRemoved: (stored: DisputeJson) => void;
}) {
  const { evidence: words } = text().disputes;
  const [kind, setKind] = useState<EvidenceKind>(FIRST[dispute.category]);
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const { files } = dispute;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const add = (chosen: readonly File[]): void => {
    const others = [...files, ...uploads.list.filter(({ state }) => state !== "refused").map(({ file }) => ({ bytes: file.size }))];
    const checked = chosen.map((file) => {
      const problem = fileProblem(file, others);
      if (problem === null) others.push({ bytes: file.size });
      return { file, problem };
    });
    uploads.add(checked, kind);
  };
  return (
    <section class="form section" aria-label={words.title}>
      <div>
        <h3>{words.title}</h3>
        <p class="field-hint">{words.hint(DISPUTE_FILES_MAX, FILE_MEGABYTES_MAX)}</p>
      </div>
      {files.length === 0 && uploads.list.length === 0 && <p class="muted">{words.none}</p>}
      <KeptFiles disputeId={dispute.id} files={files} onRemoved={onRemoved} />
      {uploads.list.length > 0 && (
        <ul class="files">
          {uploads.list.map((upload) => (
            <UploadRow key={upload.id} upload={upload} uploads={uploads} />
          ))}
        </ul>
      )}
      {files.length > 0 && (
        <p class="field-hint">{words.used(files.length, DISPUTE_FILES_MAX, sizeText(bytes), sizeText(FILES_MEGABYTES_MAX * 1_048_576))}</p>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button serves the keyboard. */}
      <div
        class={`drop${isOver ? " drop-over" : ""}`}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          add([...(event.dataTransfer?.files ?? [])]);
        }}
      >
        <SelectField<EvidenceKind>
          label={words.kind}
          value={kind}
          options={KINDS.map((value) => ({ value, label: words.kinds[value] }))}
          onChange={setKind}
        />
        <div class="drop-choose">
          <Button icon="plus" onClick={() => input.current?.click()}>
            {words.add}
          </Button>
          <span class="drop-hint">{words.drop}</span>
        </div>
        <input
          ref={input}
          type="file"
          hidden
          multiple
          accept={ACCEPT}
          aria-label={words.add}
          onChange={({ currentTarget }) => {
            add([...(currentTarget.files ?? [])]);
            // Clearing the value allows the same file to be chosen again after it was corrected.
            currentTarget.value = "";
          }}
        />
      </div>
      <p class="visually-hidden" role="status">
        {uploads.said}
      </p>
    </section>
  );
}

function UploadRow({ upload, uploads }: { upload: Upload; uploads: Uploads }) {
  const { evidence: words } = text().disputes;
  const { id, file, state, share, problem, mayRetry, kind } = upload;
  return (
    <li class={`file${state === "refused" ? " file-refused" : ""}`}>
      <Icon name={state === "refused" ? "warning" : "file"} />
      <div class="file-text">
        <span class="break">{file.name}</span>
        {state === "refused" ? (
          <span class="file-problem">{problem}</span>
        ) : (
          <>
            <progress class="file-progress" max={1} value={share} aria-label={file.name} />
            <span class="file-note">
              {words.kinds[kind]} · {sizeText(file.size)} · {progressText(state, share)}
            </span>
          </>
        )}
        {mayRetry && state === "refused" && (
          <div class="button-row">
            <Button small icon="refresh" label={words.againOf(file.name)} onClick={() => uploads.retry(id)}>
              {words.again}
            </Button>
          </div>
        )}
      </div>
      <IconButton
        icon="close"
        label={state === "refused" ? words.dismiss(file.name) : words.cancel(file.name)}
        onClick={() => uploads.drop(id)}
      />
    </li>
  );
}

function progressText(state: Upload["state"], share: number): string {
  const { evidence: words } = text().disputes;
  if (state === "waiting") return words.waiting;
  // The upload is complete and the relay is checking the file.
  return share === 1 ? words.checking : words.percent(formatPercent(share, 0));
}
