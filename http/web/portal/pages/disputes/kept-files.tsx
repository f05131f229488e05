import { useState } from "preact/hooks";
import type { DisputeJson, EvidenceFileJson } from "../../../../surfaces/merchant/disputes/schemas.ts";
import { addressOf, remove } from "../../api/client.ts";
import { IconButton } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { Icon } from "../../components/icon.tsx";
import { text } from "../../i18n/texts.ts";
import { may } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { sizeText } from "./file-problems.ts";

/**
 * Lists stored files to download. With `onRemoved`, files that were not submitted can be removed.
 */
export function KeptFiles({
  disputeId,
  files,
  onRemoved,
}: {
  disputeId: string;
  files: readonly EvidenceFileJson[];
  onRemoved?: (stored: DisputeJson) => void;
}) {
  const { disputes: words } = text();
  const [removing, setRemoving] = useState<EvidenceFileJson | null>(null);
  if (files.length === 0) return null;
  return (
    <>
      <ul class="files">
        {files.map((file) => (
          <li key={file.id} class="file">
            <Icon name="file" />
            <div class="file-text">
              <FileName disputeId={disputeId} file={file} />
              <span class="file-note">
                {words.evidence.kinds[file.category]} · {sizeText(file.bytes)}
                {file.submitted && ` · ${words.evidence.frozen}`}
              </span>
            </div>
            {onRemoved !== undefined && !file.submitted && (
              <IconButton icon="close" label={words.evidence.remove(file.name)} onClick={() => setRemoving(file)} />
            )}
          </li>
        ))}
      </ul>
      {removing !== null && onRemoved !== undefined && (
        <RemoveDialog disputeId={disputeId} file={removing} onClose={() => setRemoving(null)} onRemoved={onRemoved} />
      )}
    </>
  );
}

const pathOf = (disputeId: string, fileId: string) => `/disputes/${encodeURIComponent(disputeId)}/evidence/${encodeURIComponent(fileId)}`;

function FileName({ disputeId, file: { id, name } }: { disputeId: string; file: EvidenceFileJson }) {
  const { disputes: words } = text();
  // The files contain personal data.
  if (!may("see personal data")) return <span class="break">{name}</span>;
  return (
    <a class="break" href={addressOf(pathOf(disputeId, id))} download={name} aria-label={words.evidence.download(name)}>
      {name}
    </a>
  );
}

function RemoveDialog({
  disputeId,
  file: { id, name },
  onClose,
  onRemoved,
}: {
  disputeId: string;
  file: EvidenceFileJson;
  onClose: () => void;
  onRemoved: (stored: DisputeJson) => void;
}) {
  const { evidence: words } = text().disputes;
  return (
    <ConfirmDialog
      title={words.removeTitle}
      confirm={words.removeNow}
      danger
      onClose={onClose}
      act={async () => {
        onRemoved(await remove<DisputeJson>(pathOf(disputeId, id)));
        toast(words.removed(name));
      }}
    >
      {words.removeText(name)}
    </ConfirmDialog>
  );
}
