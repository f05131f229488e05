import createClient from "openapi-fetch";
import type { components, paths } from "./relay.ts";

/** A payment with the generated types alone: the partner pays, the terminal takes the command and reports, the partner looks the result up. */
export interface Task {
  baseUrl: string;
  partner: string;
  terminal: string;
  terminalId: string;
  uuid: string;
}

type Transaction = components["schemas"]["Transaction"];
type ResultStatus = components["schemas"]["ResultStatus"];

export async function payAndLookUp({ baseUrl, partner, terminal, terminalId, uuid }: Task) {
  const shop = createClient<paths>({ baseUrl, headers: { authorization: partner } });
  const till = createClient<paths>({ baseUrl, headers: { authorization: terminal } });
  const path = { terminalId };

  const paid = await shop.POST("/api/v1/{terminalId}/pay", { params: { path }, body: { uuid, amount: 1050, service: "PAYCC" } });
  if (paid.error !== undefined) throw new Error(`pay: ${paid.error.error}`);
  const taken = await till.GET("/api/v1/{terminalId}/get", { params: { path } });
  if (taken.data === undefined) throw new Error("the terminal got no command");
  const reported = await till.POST("/api/v1/{terminalId}/receipt", {
    params: { path },
    body: { uuid, result: "OK", amount: 1050, authCode: "123456", pan: "453201******0366" },
  });
  if (reported.error !== undefined) throw new Error(`receipt: ${reported.error.error}`);

  const byUuid = await shop.GET("/api/v1/{uuid}/uuid", { params: { path: { uuid }, query: { wait: 10 } } });
  const latest = await shop.GET("/api/v1/{terminalId}/status", { params: { path } });
  const again = await shop.POST("/api/v1/{terminalId}/pay", { params: { path }, body: { uuid, amount: 1050, service: "PAYCC" } });
  return {
    answeredTerminal: paid.data.data.terminalID,
    taken: taken.data.uuid,
    reported: reported.data.data,
    byUuid: told(byUuid.data?.data),
    latest: told(latest.data?.data),
    again: again.error?.error,
  };
}

function told(
  transaction: Transaction | null | undefined,
): { uuid: string; status: ResultStatus; amountCents: number; currency: string } | null {
  if (transaction === null || transaction === undefined) return null;
  const { uuid, status, amountCents, currency } = transaction;
  return { uuid, status, amountCents, currency };
}
