import { currencyOf, fromMinorUnits } from "../../../engine/kernel/money.ts";
import type { ResultBody } from "./payment-result.ts";

/** The result with the slip of it, a copy for the customer and one for the merchant, as the terminal would print it. */
export function withSlip(result: ResultBody): ResultBody {
  const { receipt } = result;
  const lines = [...linesOf(result), "CUSTOMER COPY"];
  const merchantLines = [...linesOf(result), "MERCHANT COPY"];
  return { ...result, receipt: { ...(typeof receipt === "object" ? receipt : {}), lines, merchantLines } };
}

function linesOf({ terminalId, timestamp, amount, currency, brand, maskedPan, authCode, result, message }: ResultBody): string[] {
  const code = currencyOf(String(currency)) ?? "EUR";
  const card = [brand, maskedPan].filter((part) => part !== undefined).join(" ");
  return [
    "SANDBOX SHOP",
    `TERMINAL ${terminalId}`,
    String(timestamp).slice(0, 16).replace("T", " "),
    ...(card === "" ? [] : [card]),
    ...(authCode === undefined ? [] : [`AUTHORIZATION ${authCode}`]),
    `TOTAL ${fromMinorUnits(Number(amount), code)} ${code}`,
    result === "OK" ? "APPROVED" : String(message),
  ];
}
