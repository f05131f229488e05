import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ExportJson } from "../../../../surfaces/merchant/exports/schemas.ts";
import { get } from "../../api/client.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { FormActions } from "../../components/form.tsx";
import { errorText } from "../../i18n/error-text.ts";
import { formatDateTime, formatNumber } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { useResource } from "../../state/resource.ts";
import { sizeText } from "../disputes/file-problems.ts";
import { DownloadButton } from "./download-button.tsx";
import { EXPORTS_HREF, failureText, isUnderWay } from "./words.ts";

/** Most exports take a few seconds. */
const LIVE_MS = 1_000;

/** Shows the progress and the outcome of an export. */
export function ExportProgress({
  started,
  onState,
  onAgain,
  onClose,
}: {
  started: ExportJson;
  onState: (item: ExportJson) => void;
  onAgain: () => void;
  onClose: () => void;
}) {
  const { exports: words, app } = text();
  const [ended, setEnded] = useState(!isUnderWay(started));
  const path = `/exports/${encodeURIComponent(started.id)}`;
  const latest = useResource(path, (signal) => get<ExportJson>(path, { signal }), ended ? {} : { everyMs: LIVE_MS });
  const item = latest.data ?? started;
  const { state, rows, bytes, expiresAt } = item;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs for a new state.
  useEffect(() => {
    onState(item);
    setEnded(!isUnderWay(item));
  }, [state]);
  // The button that had the focus is gone.
  const top = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => top.current?.focus(), []);
  return (
    <div class="export-progress">
      <div ref={top} role="status" tabIndex={-1} class="export-status">
        {state === "FAILED" ? (
          <Banner kind="danger">{failureText(item)}</Banner>
        ) : state === "READY" ? (
          <Banner kind="success">{words.stateTexts.READY}</Banner>
        ) : (
          <p>
            <strong>{words.states[state]}.</strong> {words.stateTexts[state]}
          </p>
        )}
      </div>
      {isUnderWay(item) && <progress class="export-bar" aria-label={words.states[state]} />}
      {latest.error !== null && <Banner kind="warning">{errorText(latest.error)}</Banner>}
      {state === "READY" && (
        <p class="muted">
          {[
            words.formats[item.format],
            ...(rows === null ? [] : [words.rows(formatNumber(rows))]),
            ...(bytes === null ? [] : [sizeText(bytes)]),
            ...(expiresAt === null ? [] : [`${words.expires} ${formatDateTime(expiresAt)}`]),
          ].join(" · ")}
        </p>
      )}
      <p>
        <a href={EXPORTS_HREF} onClick={onClose}>
          {words.toPage}
        </a>
      </p>
      <FormActions>
        <Button onClick={onClose}>{app.close}</Button>
        {state === "FAILED" && (
          <Button kind="primary" icon="refresh" onClick={onAgain}>
            {words.again}
          </Button>
        )}
        {state === "READY" && <DownloadButton item={item} kind="primary" />}
      </FormActions>
    </div>
  );
}
