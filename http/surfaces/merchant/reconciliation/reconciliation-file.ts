import { Type } from "@sinclair/typebox";
import { contentDisposition } from "../../parts/content-disposition.ts";
import { LocaleWord } from "../../parts/schemas.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { dayCsv } from "./day-csv.ts";
import { closedDay, DayParams, NOT_CLOSED, reconciliation } from "./surface.ts";

export const reconciliationFile = reconciliation.endpoint({
  name: "reconciliationFile",
  method: "GET",
  path: `${MERCHANT_BASE}/reconciliation/{day}/file`,
  summary: "Download a closed day as CSV",
  description:
    "One line for each figure, payment that is named, and correction, with what it is in the first column; payments and corrections beyond those that are listed have one line with their number. UTF-8 with a byte order mark; numbers as in `GET /api/merchant/transactions.csv`.",
  auth: "merchantUserOrKey",
  may: "operate",
  rateLimit: PORTAL_RATE,
  params: DayParams,
  query: Type.Object({ lang: Type.Optional(LocaleWord) }),
  responses: {
    200: {
      description: "The lines.",
      body: Type.String(),
      contentType: "text/csv; charset=utf-8",
      headers: {
        "Content-Disposition": { description: "A file name with the merchant and the day." },
        "Content-Security-Policy": { description: "`sandbox`." },
      },
    },
    ...reconciliation.errors(400, 401, 403, 404, 429, 503),
    409: { description: `${NOT_CLOSED}.`, body: reconciliation.envelope.schema },
  },
  handle: async (operations, { caller, params, query: { lang = "it" } }) => {
    const owner = merchantOwnerOf(caller);
    const answer = await closedDay(operations, owner, params.day);
    if ("refused" in answer) return answer.refused;
    const headers = contentDisposition(`reconciliation_${owner.merchantId}_${params.day}.csv`);
    return { status: 200, body: dayCsv(answer.found, lang, operations.localTime), headers };
  },
});
