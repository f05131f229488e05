import { useEffect, useState } from "preact/hooks";
import { text } from "../i18n/texts.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Shows how long a payment is still possible. It counts seconds only in the last hour, when people
 * wait for them.
 */
export function Countdown({ until }: { until: string }) {
  const leftMs = useLeftMs(until);
  return <span class="countdown">{leftMs <= 0 ? text().app.timeOver : text().app.left(leftText(leftMs))}</span>;
}

/** Whether the time has come. */
export function useIsOver(until: string): boolean {
  return useLeftMs(until) <= 0;
}

/** Returns the time left in the steps that the page shows; zero or less after the time. */
export function useLeftMs(until: string): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  const leftMs = Date.parse(until) - nowMs;
  const everyMs = leftMs > HOUR_MS ? MINUTE_MS / 2 : SECOND_MS;
  const isOver = leftMs <= 0;
  useEffect(() => {
    if (isOver) return;
    const timer = setInterval(() => setNowMs(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [isOver, everyMs]);
  return leftMs;
}

function leftText(leftMs: number): string {
  const { units } = text().app;
  const part = (unitMs: number, ofMs: number) => Math.floor((leftMs % ofMs) / unitMs);
  if (leftMs >= DAY_MS) return `${Math.floor(leftMs / DAY_MS)} ${units.days} ${part(HOUR_MS, DAY_MS)} ${units.hours}`;
  if (leftMs >= HOUR_MS) return `${part(HOUR_MS, DAY_MS)} ${units.hours} ${part(MINUTE_MS, HOUR_MS)} ${units.minutes}`;
  return `${part(MINUTE_MS, HOUR_MS)}:${String(part(SECOND_MS, MINUTE_MS)).padStart(2, "0")}`;
}
