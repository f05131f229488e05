import { locale } from "./texts.ts";

/** What a person has written as an amount (`12,50`, `12.50`, `1.200,00`), in minor units of two decimals; null for anything else. */
export function minorOf(written: string): number | null {
  const compact = written.replaceAll(/\s/g, "");
  const match = /^(\d{1,3}(?:[.,]\d{3})*|\d{1,10})(?:[.,](\d{1,2}))?$/.exec(compact);
  if (match === null) return null;
  const [, whole = "", decimals = ""] = match;
  return Number(whole.replaceAll(/[.,]/g, "")) * 100 + Number(decimals.padEnd(2, "0"));
}

/** Minor units as a person would write them in a field. */
export function writtenOf(minor: string): string {
  if (!/^\d{1,12}$/.test(minor)) return "";
  const value = Number(minor);
  const decimals = String(value % 100).padStart(2, "0");
  return `${Math.floor(value / 100)}${locale.value === "it" ? "," : "."}${decimals}`;
}
