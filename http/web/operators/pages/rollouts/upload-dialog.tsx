import { useEffect, useRef, useState } from "preact/hooks";
import { post } from "../../../portal/api/client.ts";
import { PortalError } from "../../../portal/api/errors.ts";
import { upload } from "../../../portal/api/upload.ts";
import { CheckField, TextAreaField, TextField } from "../../../portal/components/field.tsx";
import { FormDialog } from "../../../portal/components/form-dialog.tsx";
import { UsageBar } from "../../../portal/components/usage-bar.tsx";
import { formatNumber } from "../../../portal/i18n/format.ts";
import { useAction } from "../../../portal/state/action.ts";
import { toast } from "../../../portal/state/toasts.ts";
import type { VersionJson } from "../../api/types.ts";
import { FileField } from "../../components/file-field.tsx";
import { words } from "../../i18n/texts.ts";

/** As VERSION_CODE_MAX, VERSION_NAME_LENGTH_MAX and RELEASE_NOTES_LENGTH_MAX of the engine, which decides. */
const CODE_MAX = 2_147_483_647;
const NAME_LENGTH_MAX = 64;
const NOTES_LENGTH_MAX = 10_000;

const MEGABYTE = 1_048_576;

export interface UploadDialogProps {
  /** The version whose package is uploaded; null for a new one. */
  version: VersionJson | null;
  onClose: () => void;
  onChanged: () => void;
}

/** Creates a version and uploads its package. A version whose upload failed is kept, so that the next attempt only uploads. */
export function UploadDialog({ version, onClose, onChanged }: UploadDialogProps) {
  const { rollouts: own } = words();
  const [created, setCreated] = useState(version);
  const [entered, setEntered] = useState({ name: "", code: "", notes: "", mandatory: false });
  const [file, setFile] = useState<File | null>(null);
  const [checked, setChecked] = useState(false);
  const [share, setShare] = useState<number | null>(null);
  const leaving = useRef<AbortController | null>(null);
  useEffect(() => () => leaving.current?.abort(), []);
  const problems = {
    name: created === null && entered.name.trim() === "" ? own.upload.nameMissing : null,
    code: created === null && !isCode(entered.code) ? own.upload.codeForm(formatNumber(CODE_MAX)) : null,
    file: file === null ? own.upload.fileMissing : null,
  };
  const action = useAction(async () => {
    if (file === null) return;
    const stored = created ?? (await post<VersionJson>("/app-versions", requestOf(entered)));
    setCreated(stored);
    onChanged();
    leaving.current = new AbortController();
    setShare(0);
    try {
      const path = `/app-versions/${stored.id}/upload-apk`;
      await upload<string>(path, file, { signal: leaving.current.signal, onProgress: setShare }).catch((error: unknown) => {
        throw inWords(error);
      });
    } finally {
      setShare(null);
    }
    toast(own.upload.done(stored.versionName));
    onChanged();
    onClose();
  });
  const shown = (name: keyof typeof problems) => (checked ? problems[name] : null);
  const enter = (change: Partial<typeof entered>) => setEntered((before) => ({ ...before, ...change }));
  return (
    <FormDialog
      title={version === null ? own.upload.title : own.upload.titleOf(version.versionName)}
      action={action}
      onSubmit={() => {
        setChecked(true);
        if (Object.values(problems).every((problem) => problem === null)) void action.run();
      }}
      submit={own.upload.submit}
      icon="send"
      onClose={onClose}
    >
      {version === null && created === null && (
        <>
          <TextField
            label={own.upload.name}
            hint={own.upload.nameHint}
            name="versionName"
            autoComplete="off"
            maxLength={NAME_LENGTH_MAX}
            value={entered.name}
            onInput={(name) => enter({ name })}
            error={shown("name")}
            autoFocus
          />
          <TextField
            label={own.upload.code}
            hint={own.upload.codeHint}
            name="versionCode"
            inputMode="numeric"
            autoComplete="off"
            maxLength={10}
            value={entered.code}
            onInput={(code) => enter({ code: code.trim() })}
            error={shown("code")}
          />
          <TextAreaField label={own.upload.notes} optional rows={3} prose value={entered.notes} onInput={(notes) => enter({ notes })} />
          <CheckField label={own.upload.mandatory} checked={entered.mandatory} onChange={(mandatory) => enter({ mandatory })} />
        </>
      )}
      {version === null && created !== null && <p class="lead">{own.upload.isCreated(created.versionName)}</p>}
      <FileField
        label={own.upload.file}
        hint={file === null ? own.upload.fileHint : own.upload.size(file.name, formatNumber(Math.ceil((file.size / MEGABYTE) * 10) / 10))}
        accept=".apk,application/vnd.android.package-archive,application/zip"
        error={shown("file")}
        disabled={action.busy}
        onChoose={setFile}
      />
      {share !== null && (
        <UsageBar
          label={own.upload.progress}
          used={Math.round(share * 1_000)}
          max={1_000}
          words={share >= 1 ? own.upload.checking : own.percent(formatNumber(Math.floor(share * 100)))}
        />
      )}
    </FormDialog>
  );
}

function requestOf({ name, code, notes, mandatory }: { name: string; code: string; notes: string; mandatory: boolean }) {
  return { versionName: name.trim(), versionCode: Number(code), mandatory, releaseNotes: notes.trim().slice(0, NOTES_LENGTH_MAX) };
}

function isCode(text: string): boolean {
  return /^[1-9]\d{0,9}$/.test(text) && Number(text) <= CODE_MAX;
}

/** Says what went wrong with an upload. The relay's message is more exact than the common text of its code. */
function inWords(error: unknown): unknown {
  if (!(error instanceof PortalError)) return error;
  if (error.status === 413) return new PortalError("invalid_request", 413, words().rollouts.upload.tooLarge);
  if (error.status === 409) return new PortalError("invalid_request", 409, error.message);
  if (error.status === 0) return new PortalError("invalid_request", 0, words().rollouts.upload.interrupted);
  return error;
}
