import type { Locale } from "../../../../engine/accounts/account.ts";
import type { Correction, CountAndSum, ReconciledDay } from "../../../../engine/reconciliation/reconciliation.ts";
import type { LocalTime } from "../../parts/time.ts";
import { BYTE_ORDER_MARK, CSV_FORMS, csvLines, textCell } from "../csv.ts";
import { majorUnits } from "../transaction-item.ts";

type Subject = Correction["subject"]["of"];

const TEXTS: Readonly<
  Record<Locale, { headings(zone: string): readonly string[]; of: Readonly<Record<Subject, string>>; correction: string; others: string }>
> = {
  it: {
    headings: (zone) => [
      ...["Voce", "Terminale", "Metodo", "Esito o stato", "Valuta", "Numero", "Importo", "UUID"],
      ...[`Corretto il (${zone})`, "Numero precedente", "Importo precedente"],
    ],
    of: {
      payments: "Pagamenti",
      refunded: "Rimborsato dei pagamenti",
      links: "Link",
      refunds: "Rimborsi",
      unknown: "Esito ignoto",
      conflicting: "Esiti discordanti",
    },
    correction: "Correzione",
    others: "altre",
  },
  en: {
    headings: (zone) => [
      ...["Item", "Terminal", "Method", "Status or state", "Currency", "Count", "Amount", "UUID"],
      ...[`Corrected (${zone})`, "Count before", "Amount before"],
    ],
    of: {
      payments: "Payments",
      refunded: "Refunded of payments",
      links: "Links",
      refunds: "Refunds",
      unknown: "Unknown outcome",
      conflicting: "Conflicting results",
    },
    correction: "Correction",
    others: "others",
  },
};

/**
 * Returns a closed day with a line for each figure, each named payment and each correction. One
 * more line counts those that are not named.
 */
export function dayCsv({ closed, corrections, correctionCount }: ReconciledDay, locale: Locale, localTime: LocalTime): string {
  const { headings, of, correction: word, others } = TEXTS[locale];
  const { point } = CSV_FORMS[locale];
  const { payments, refunded = [], links, refunds, unknown, conflicting } = closed.figures;
  const sum = ({ count, amountMinor }: CountAndSum, currency: string) => [String(count), majorUnits(amountMinor, currency, point)];
  const rest = ["", "", "", ""];
  const further = (what: string, count: number) => (count > 0 ? [[what, "*", "", "", "", String(count), "", "*", "", "", ""]] : []);
  const rows: string[][] = [
    [...headings(localTime.zone)],
    ...(["payments", "refunded"] as const).flatMap((what) =>
      (what === "payments" ? payments : refunded).map((line) => [
        ...[of[what], textCell(line.terminalId ?? "*"), line.method, line.status],
        ...[textCell(line.currency), ...sum(line, line.currency), ...rest],
      ]),
    ),
    ...(["links", "refunds"] as const).flatMap((what) =>
      (what === "links" ? links : refunds).map((line) => [
        ...[of[what], "", "", textCell(line.state), textCell(line.currency), ...sum(line, line.currency), ...rest],
      ]),
    ),
    ...(["unknown", "conflicting"] as const).flatMap((what) => {
      const { count, items } = what === "unknown" ? unknown : conflicting;
      return [
        ...items.map(({ uuid, terminalId }) => [of[what], textCell(terminalId), "", "", "", "1", "", textCell(uuid), "", "", ""]),
        ...further(of[what], count - items.length),
      ];
    }),
    ...corrections.map(({ subject, atMs, before, after }) => {
      const at = localTime.format(atMs).slice(0, "YYYY-MM-DDTHH:MM:SS".length).replace("T", " ");
      const what = `${word}: ${of[subject.of]}`;
      if ("uuid" in subject) {
        const { terminalId, uuid } = subject;
        return [
          what,
          textCell(terminalId ?? "*"),
          "",
          "",
          "",
          String(after.count),
          "",
          textCell(uuid ?? "*"),
          at,
          String(before.count),
          "",
        ];
      }
      const { currency } = subject;
      const place =
        "method" in subject ? [textCell(subject.terminalId ?? "*"), subject.method, subject.status] : ["", "", textCell(subject.state)];
      return [what, ...place, textCell(currency), ...sum(after, currency), "", at, ...sum(before, currency)];
    }),
    ...further(`${word}: ${others}`, correctionCount - corrections.length),
  ];
  return BYTE_ORDER_MARK + csvLines(locale, rows);
}
