import { DISPUTE_FIELD_LENGTH_MAX, DISPUTE_STATEMENT_LENGTH_MAX } from "../../../../../engine/disputes/words.ts";
import type { DisputeJson } from "../../../../surfaces/merchant/disputes/schemas.ts";
import { text } from "../../i18n/texts.ts";
import type { Category } from "./words.ts";

/** The contents of the form. */
export interface Written {
  statement: string;
  fields: Readonly<Record<string, string>>;
}

export type FieldName = keyof ReturnType<typeof text>["disputes"]["fields"];

/** The questions of each category. Other answers of a draft are shown after them. */
export const QUESTIONS: Readonly<Record<Category, readonly FieldName[]>> = {
  FRAUD: ["customerName", "orderNumber", "authentication"],
  NOT_RECEIVED: ["orderNumber", "deliveryDate", "carrier", "trackingNumber", "deliveryAddress"],
  NOT_AS_DESCRIBED: ["orderNumber", "productDescription", "complaintDate", "returnPolicy"],
  DUPLICATE: ["orderNumber", "otherPayment", "otherPaymentFor", "refundDate"],
  CANCELLED_RECURRING: ["orderDate", "cancellationDate", "cancellationTerms", "lastUsedDate"],
  OTHER: ["orderNumber", "serviceDate"],
};

/** Answers that are sentences. */
export const LONG: readonly string[] = ["productDescription", "returnPolicy", "cancellationTerms"];

export function writtenOf({ statement, fields }: DisputeJson["draft"]): Written {
  return { statement: statement ?? "", fields };
}

/** Returns the draft as it is sent and stored. Empty answers are left out. */
export function draftOf({ statement, fields }: Written): DisputeJson["draft"] {
  const answered = Object.entries(fields).filter(([, value]) => value.trim() !== "");
  return { statement: statement.trim() === "" ? null : statement, fields: Object.fromEntries(answered) };
}

export function isSame(one: Written, other: Written): boolean {
  return textOf(one) === textOf(other);
}

function textOf(written: Written): string {
  const { statement, fields } = draftOf(written);
  const answers = Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([statement, answers]);
}

/** The label of a question; its name if the catalogue has no label. */
export function fieldLabel(name: string): string {
  const known: Readonly<Record<string, string>> = text().disputes.fields;
  return (Object.hasOwn(known, name) ? known[name] : undefined) ?? name;
}

export function isTooLong({ statement, fields }: Written): boolean {
  return statement.length > DISPUTE_STATEMENT_LENGTH_MAX || Object.values(fields).some((value) => value.length > DISPUTE_FIELD_LENGTH_MAX);
}

export function isEmpty(written: Written): boolean {
  const { statement, fields } = draftOf(written);
  return statement === null && Object.keys(fields).length === 0;
}
