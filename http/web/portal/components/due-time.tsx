import { formatExactTime } from "../i18n/format.ts";
import { Countdown, useLeftMs } from "./countdown.tsx";
import { Icon } from "./icon.tsx";

const DAY_MS = 86_400_000;

/** Shows the time left to answer. The colour shows the urgency, and the words say the same. */
export function DueTime({ until }: { until: string }) {
  const leftMs = useLeftMs(until);
  const urgency = leftMs < DAY_MS ? "now" : leftMs < 3 * DAY_MS ? "soon" : "later";
  return (
    <span class={`due due-${urgency}`} title={formatExactTime(until)}>
      <Icon name="clock" size={16} />
      <Countdown until={until} />
    </span>
  );
}
