import type { TSchema } from "@sinclair/typebox";

/**
 * Returns the title of an envelope around titled data: `PartnerResponse`, `PartnerListResponse`.
 */
export function responseTitle(data: TSchema): { title?: string } {
  const { title } = data;
  if (title !== undefined) return { title: `${title}Response` };
  const items: TSchema | undefined = data["items"];
  return items?.title === undefined ? {} : { title: `${items.title}ListResponse` };
}
