import { InvalidArgumentError } from "commander";

/** Reads a number of an option or argument, `1_000_000` too; commander tells what is allowed and ends with 1. */
export function numberBetween(least: number, most: number, whole = true): (text: string) => number {
  return (text) => {
    const value = Number(text.replaceAll("_", "") || "none");
    if (value >= least && value <= most && (!whole || Number.isInteger(value))) return value;
    throw new InvalidArgumentError(`It is a ${whole ? "whole " : ""}number from ${least} to ${most}.`);
  };
}
