import { formatNumber } from "../../../portal/i18n/format.ts";
import type { DeploymentJson } from "../../api/types.ts";
import { words } from "../../i18n/texts.ts";

/** How far a version has come on the terminals that were offered it: installed, failed, downloaded. The figures stand below the bar. */
export function Progress({ counts: { offered, downloaded, installed, failed } }: Pick<DeploymentJson, "counts">) {
  const { rollouts: own } = words();
  if (offered === 0) return <span class="muted">{own.nothingOffered}</span>;
  // What was installed was downloaded before.
  const waiting = Math.max(0, downloaded - installed - failed);
  /** In tenths of a percent: no screen shows more. */
  const width = (count: number) => Math.min(100, Math.round((count / offered) * 1_000) / 10);
  const [first, second, third] = [width(installed), width(failed), width(waiting)];
  return (
    <span class="progress">
      <svg class="progress-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" focusable="false">
        <rect class="progress-rest" width="100" height="6" />
        <rect class="progress-installed" width={first} height="6" />
        <rect class="progress-failed" x={first} width={second} height="6" />
        <rect class="progress-downloaded" x={first + second} width={third} height="6" />
      </svg>
      <span class="progress-text">
        {own.installedOf(formatNumber(installed), formatNumber(offered))}
        {failed > 0 && <span class="progress-bad"> · {own.failedCount(formatNumber(failed))}</span>}
      </span>
    </span>
  );
}
