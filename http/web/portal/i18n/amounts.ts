import { locale } from "./texts.ts";

/**
 * Parses an amount as a person types it (`12,50`, `12.50`, in Italian `1.200,00`, in English
 * `1,200.00`). Returns minor units, or null for anything else. A separator that groups thousands in
 * the person's language never starts decimals if it could be either. This prevents a charge of a
 * thousandth or a thousand times the amount.
 */
export function minorOf(written: string, decimals = 2): number | null {
  const compact = written.replaceAll(/\s/g, "");
  const group = locale.value === "it" ? "." : ",";
  const [whole = "", fraction = "", ...more] = isGrouped(compact, group)
    ? compact.replaceAll(group, "").split(/[.,]/)
    : compact.split(/[.,]/);
  if (more.length > 0 || !/^\d{1,10}$/.test(whole) || !/^\d*$/.test(fraction) || fraction.length > decimals) return null;
  // A trailing separator without digits means that the person is still typing the amount.
  if (fraction === "" && /[.,]$/.test(compact)) return null;
  return Number(whole + fraction.padEnd(decimals, "0"));
}

function isGrouped(compact: string, group: string): boolean {
  const [whole = ""] = compact.split(group === "." ? "," : ".");
  return new RegExp(`^\\d{1,3}(?:\\${group}\\d{3})+$`).test(whole);
}

/** Writes minor units of a currency with two decimals, as a person would type them in a field. */
export function writtenOf(minor: string): string {
  if (!/^\d{1,12}$/.test(minor)) return "";
  const value = Number(minor);
  const decimals = String(value % 100).padStart(2, "0");
  return `${Math.floor(value / 100)}${locale.value === "it" ? "," : "."}${decimals}`;
}
