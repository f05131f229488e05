import { signal } from "@preact/signals";

export interface ToastItem {
  readonly id: number;
  readonly text: string;
  readonly kind: "done" | "note" | "failed";
}

/** Nobody reads more toasts than this at once. */
const SHOWN_MAX = 4;

const SHOWN_MS = 7_000;

export const toasts = signal<readonly ToastItem[]>([]);

let last = 0;

/**
 * Reports an event in a corner of the page and to screen readers. Failures stay until they are
 * closed.
 */
export function toast(words: string, kind: ToastItem["kind"] = "done"): void {
  last += 1;
  const item: ToastItem = { id: last, text: words, kind };
  toasts.value = [...toasts.value.slice(1 - SHOWN_MAX), item];
  if (kind !== "failed") setTimeout(() => closeToast(item.id), SHOWN_MS);
}

export function closeToast(id: number): void {
  toasts.value = toasts.value.filter((item) => item.id !== id);
}

export function closeToasts(): void {
  toasts.value = [];
}
