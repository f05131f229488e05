/** Of responses that may have a generated password. */
export const NO_STORE = { "Cache-Control": "no-store" } as const;
export const noStore = { "Cache-Control": { description: "no-store" } };
export const SHOWN_ONCE = "The password is not shown again.";
