import { text } from "./texts.ts";

/** Returns the name of a payment method, or the method as it is if the catalogue has no name. */
export function methodText(method: string): string {
  const known: Readonly<Record<string, string>> = text().methods;
  return (Object.hasOwn(known, method) ? known[method] : undefined) ?? method;
}
