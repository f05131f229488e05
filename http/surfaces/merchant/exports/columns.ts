import type { Locale } from "../../../../engine/accounts/account.ts";
import type { ExportList } from "../../../../engine/exports/export.ts";

/**
 * The content of a column, which decides how a file writes it. An `amount` is in units of its
 * currency, a `flag` is yes or no, and `words` are written as the interface names them.
 */
export type ColumnKind = "text" | "words" | "time" | "amount" | "integer" | "flag";

export interface ExportColumn {
  readonly kind: ColumnKind;
  /** The text above the column. `time` columns append the time zone. */
  readonly heading: Readonly<Record<Locale, string>>;
  /**
   * The column is about people. It needs a second factor of the last ten minutes, and is omitted if
   * an export chooses no columns.
   */
  readonly personal?: true;
}

const column = (kind: ColumnKind, it: string, en: string): ExportColumn => ({ kind, heading: { it, en } });
const personal = (kind: ColumnKind, it: string, en: string): ExportColumn => ({ ...column(kind, it, en), personal: true });

const CURRENCY = column("text", "Valuta", "Currency");
const AMOUNT = column("amount", "Importo", "Amount");
const CREATED_BY = personal("text", "Creato da", "Created by");

/**
 * The columns of each list by name, in the order that applies if an export chooses none. The
 * columns of `transactions` equal those of `GET /transactions.csv`. The pages read this table too.
 */
export const EXPORT_COLUMNS = {
  transactions: {
    createdAt: column("time", "Data e ora", "Date and time"),
    uuid: column("text", "UUID", "UUID"),
    terminalId: column("text", "Terminale", "Terminal"),
    method: column("words", "Metodo", "Method"),
    status: column("words", "Esito", "Status"),
    amount: AMOUNT,
    currency: CURRENCY,
    brand: column("text", "Circuito", "Brand"),
    last4: column("text", "Ultime 4 cifre", "Last 4 digits"),
    authCode: column("text", "Codice di autorizzazione", "Authorization code"),
    message: column("text", "Messaggio", "Message"),
    refundedAmount: column("amount", "Rimborsato", "Refunded"),
    netAmount: column("amount", "Netto", "Net"),
    actionCode: column("text", "Codice di risposta", "Action code"),
    declineReason: column("text", "Motivo del rifiuto", "Decline reason"),
    declineAdvice: column("text", "Che cosa fare", "What to do"),
  },
  "payment-links": {
    createdAt: column("time", "Creato il", "Created"),
    id: column("text", "Link", "Link"),
    state: column("words", "Stato", "State"),
    late: column("flag", "In ritardo", "Late"),
    paidTwice: column("flag", "Pagato due volte", "Paid twice"),
    amount: AMOUNT,
    currency: CURRENCY,
    description: column("text", "Descrizione", "Description"),
    reference: column("text", "Riferimento", "Reference"),
    customerEmail: personal("text", "E-mail del cliente", "Customer's e-mail"),
    createdBy: CREATED_BY,
    expiresAt: column("time", "Scadenza", "Expires"),
    paidAt: column("time", "Pagato il", "Paid"),
    cancelledAt: column("time", "Annullato il", "Cancelled"),
    paymentUuid: column("text", "UUID del pagamento", "Payment UUID"),
    mails: column("integer", "E-mail inviate", "Mails sent"),
  },
  disputes: {
    createdAt: column("time", "Ricevuta il", "Received"),
    id: column("text", "Contestazione", "Dispute"),
    kind: column("words", "Tipo", "Kind"),
    status: column("words", "Stato", "Status"),
    stage: column("words", "Fase", "Stage"),
    category: column("words", "Categoria", "Category"),
    network: column("text", "Circuito", "Network"),
    networkCaseId: column("text", "Numero del caso", "Case number"),
    reasonCode: column("text", "Codice motivo", "Reason code"),
    uuid: column("text", "UUID del pagamento", "Payment UUID"),
    terminalId: column("text", "Terminale", "Terminal"),
    amount: AMOUNT,
    currency: CURRENCY,
    respondBy: column("time", "Rispondere entro", "Respond by"),
    alertId: column("text", "Preavviso", "Alert"),
    updatedAt: column("time", "Modificata il", "Changed"),
  },
  subscriptions: {
    createdAt: column("time", "Creato il", "Created"),
    id: column("text", "Abbonamento", "Subscription"),
    state: column("words", "Stato", "State"),
    planId: column("text", "ID del piano", "Plan id"),
    planName: column("text", "Piano", "Plan"),
    amount: AMOUNT,
    currency: CURRENCY,
    interval: column("words", "Intervallo", "Interval"),
    count: column("integer", "Ogni", "Every"),
    customerName: personal("text", "Cliente", "Customer"),
    customerEmail: personal("text", "E-mail del cliente", "Customer's e-mail"),
    createdBy: CREATED_BY,
    collection: column("words", "Incasso", "Collection"),
    cycle: column("integer", "Ciclo", "Cycle"),
    periodFrom: column("time", "Periodo dal", "Period from"),
    periodUntil: column("time", "Periodo fino al", "Period until"),
    nextDueAt: column("time", "Prossima scadenza", "Next due"),
    unpaidAmount: column("amount", "Importo insoluto", "Unpaid amount"),
    unpaidSince: column("time", "Insoluto dal", "Unpaid since"),
    cancelsAtPeriodEnd: column("flag", "Termina a fine periodo", "Ends with its period"),
    cancelledAt: column("time", "Annullato il", "Cancelled"),
    pausedAt: column("time", "Sospeso il", "Paused"),
  },
} as const satisfies Record<ExportList, Readonly<Record<string, ExportColumn>>>;

export type ColumnName<L extends ExportList> = keyof (typeof EXPORT_COLUMNS)[L] & string;

/** Returns the columns of a list by name, for names that are only known at run time. */
export function columnsOf(list: ExportList): ReadonlyMap<string, ExportColumn> {
  return new Map<string, ExportColumn>(Object.entries(EXPORT_COLUMNS[list]));
}

/** Returns the columns of a file that chooses none: all that contain nothing about people. */
export function usualColumns(list: ExportList): readonly string[] {
  return [...columnsOf(list)].filter(([, { personal: isPersonal }]) => isPersonal !== true).map(([name]) => name);
}

export function hasPersonalData(list: ExportList, columns: readonly string[]): boolean {
  const known = columnsOf(list);
  return columns.some((name) => known.get(name)?.personal === true);
}
