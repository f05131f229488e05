import type { ExportJson } from "../../../../surfaces/merchant/exports/schemas.ts";
import { download } from "../../api/download.ts";
import { Button, type ButtonKind } from "../../components/button.tsx";
import { errorText } from "../../i18n/error-text.ts";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { toast } from "../../state/toasts.ts";

/** Downloads the file of an export. A file with personal data requires a fresh second factor. */
export function DownloadButton({
  item: { id, fileName },
  kind = "secondary",
  small = false,
}: {
  item: Pick<ExportJson, "id" | "fileName">;
  kind?: ButtonKind;
  small?: boolean;
}) {
  const { exports: words } = text();
  const fetching = useAction(async () => {
    try {
      await download(`/exports/${encodeURIComponent(id)}/file`);
    } catch (error) {
      toast(errorText(error), "failed");
    }
  });
  return (
    <Button
      kind={kind}
      small={small}
      icon="download"
      busy={fetching.busy}
      {...(fileName === null ? {} : { label: words.downloadOf(fileName) })}
      onClick={() => void fetching.run()}
    >
      {words.download}
    </Button>
  );
}
