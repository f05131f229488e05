import { locale } from "./texts.ts";

/**
 * What a person has written as an amount (`12,50`, `12.50`, in Italian `1.200,00`, in English `1,200.00`), in minor units; null for anything else. A sign that groups
 * thousands in the person's language never begins decimals where it could be either: nobody is charged a thousand times as much.
 */
export function minorOf(written: string, decimals = 2): number | null {
  const compact = written.replaceAll(/\s/g, "");
  const group = locale.value === "it" ? "." : ",";
  const [whole = "", fraction = "", ...more] = isGrouped(compact, group)
    ? compact.replaceAll(group, "").split(/[.,]/)
    : compact.split(/[.,]/);
  if (more.length > 0 || !/^\d{1,10}$/.test(whole) || !/^\d*$/.test(fraction) || fraction.length > decimals) return null;
  // A sign without digits behind it is an amount that is not yet written to its end.
  if (fraction === "" && /[.,]$/.test(compact)) return null;
  return Number(whole + fraction.padEnd(decimals, "0"));
}

function isGrouped(compact: string, group: string): boolean {
  const [whole = ""] = compact.split(group === "." ? "," : ".");
  return new RegExp(`^\\d{1,3}(?:\\${group}\\d{3})+$`).test(whole);
}

/** Minor units of two decimals as a person would write them in a field. */
export function writtenOf(minor: string): string {
  if (!/^\d{1,12}$/.test(minor)) return "";
  const value = Number(minor);
  const decimals = String(value % 100).padStart(2, "0");
  return `${Math.floor(value / 100)}${locale.value === "it" ? "," : "."}${decimals}`;
}
