/**
 * Explains in words why a payment was declined, and what the shop can do next. Codes are response
 * codes of ISO 8583 (two digits in the edition of 1987, three in that of 1993), codes that cards
 * and networks use in the same place (`Z1`, `1A`), codes of the card gateway, and states of
 * Satispay with the prefix `SATISPAY`. Codes that networks use for different reasons are missing,
 * so that nobody is told a wrong reason. Texts are messages of terminals and of the card gateway.
 *
 * Reasons of stolen cards and of fraud never ask the shop to keep a card or to confront anybody.
 */

const OTHER_WAY = {
  en: "Ask for another card or another way to pay.",
  it: "Chiedi un’altra carta o un altro modo di pagare.",
};
const QUIETLY = {
  en: "Do not try this card again. Tell the customer only that the payment was declined, and ask for another way to pay. If in doubt, call your acquirer.",
  it: "Non riprovare con questa carta. Di’ al cliente solo che il pagamento è stato rifiutato e chiedi un altro modo di pagare. Nel dubbio chiama il tuo acquirer.",
};
const NEVER_KEEP = {
  en: "Do not keep the card, do not confront the customer, and do not try the card again. Say only that the payment was declined, ask for another way to pay, then call your acquirer.",
  it: "Non trattenere la carta, non affrontare il cliente e non riprovare con la carta. Di’ solo che il pagamento è stato rifiutato, chiedi un altro modo di pagare, poi chiama il tuo acquirer.",
};
const LATER = {
  en: "Try again in a few minutes, or ask for another way to pay. If all cards are declined, call the support of your terminal.",
  it: "Riprova tra qualche minuto o chiedi un altro modo di pagare. Se vengono rifiutate tutte le carte, chiama l’assistenza del terminale.",
};
const LOOK_FIRST = {
  en: "Before you charge again, check in the transactions whether the payment was approved.",
  it: "Prima di addebitare di nuovo, controlla nelle transazioni se il pagamento è stato approvato.",
};
const START_AGAIN = {
  en: "Start the payment again if the customer still wants to pay.",
  it: "Avvia di nuovo il pagamento se il cliente vuole ancora pagare.",
};

const TABLE = {
  declined: row(
    "05 100 GW_10001",
    [
      "DECLINED",
      "DO NOT HONOR",
      "DO NOT HONOUR",
      "CARD NOT AUTHORIZED",
      "NOT AUTHORIZED",
      "TRANSAZIONE NEGATA",
      "NEGATA",
      "NON AUTORIZZATA",
    ],
    ["Declined without a reason", `${OTHER_WAY.en} Only the customer’s bank or payment app can say why.`],
    ["Rifiutato senza un motivo", `${OTHER_WAY.it} Solo la banca o l’app di pagamento del cliente può dire perché.`],
  ),
  insufficient_funds: row(
    "51 116 GW_10002",
    ["INSUFFICIENT FUNDS", "NOT SUFFICIENT FUNDS", "FONDI INSUFFICIENTI", "DISPONIBILITA INSUFFICIENTE"],
    ["Not enough money or credit on the card", OTHER_WAY.en],
    ["Disponibilità della carta insufficiente", OTHER_WAY.it],
  ),
  limit_exceeded: row(
    "61 121",
    ["LIMIT EXCEEDED", "AMOUNT LIMIT EXCEEDED", "LIMITE SUPERATO", "PLAFOND SUPERATO"],
    ["Above the card’s limit for an amount", `${OTHER_WAY.en} Do not split the amount.`],
    ["Importo oltre il limite della carta", `${OTHER_WAY.it} Non dividere l’importo.`],
  ),
  frequency_exceeded: row(
    "65 123",
    [],
    [
      "Limit of the card for the number of payments, or for payments without a PIN",
      "Ask the customer to insert the card and enter the PIN, or to pay in another way.",
    ],
    [
      "Limite della carta per il numero di pagamenti, o per i pagamenti senza PIN",
      "Chiedi al cliente di inserire la carta e digitare il PIN, o di pagare in un altro modo.",
    ],
  ),
  confirmation_required: row(
    "1A 112",
    ["PIN REQUIRED", "PIN RICHIESTO"],
    [
      "The bank asks for the PIN or another confirmation",
      "At a terminal, ask the customer to insert the card and enter the PIN. Online, the customer pays again and confirms it with the bank.",
    ],
    [
      "La banca chiede il PIN o un’altra conferma",
      "Al terminale, chiedi al cliente di inserire la carta e digitare il PIN. Online, il cliente paga di nuovo e conferma con la banca.",
    ],
  ),
  expired_card: row(
    "54 101",
    ["EXPIRED CARD", "CARD EXPIRED", "CARTA SCADUTA"],
    ["The card has expired, or its date is wrong", OTHER_WAY.en],
    ["La carta è scaduta, o la sua data è sbagliata", OTHER_WAY.it],
  ),
  incorrect_pin: row(
    "55 117",
    ["INCORRECT PIN", "WRONG PIN", "INVALID PIN", "PIN ERRATO"],
    ["Wrong PIN", "The customer can enter the PIN again. After several wrong ones the bank blocks the card."],
    ["PIN errato", "Il cliente può digitare di nuovo il PIN. Dopo più errori la banca blocca la carta."],
  ),
  pin_tries_exceeded: row(
    "75 106",
    ["PIN TRIES EXCEEDED", "TENTATIVI PIN SUPERATI", "TENTATIVI PIN ESAURITI"],
    ["A wrong PIN was entered too often", `${OTHER_WAY.en} The customer’s bank can unblock the PIN.`],
    ["Il PIN è stato sbagliato troppe volte", `${OTHER_WAY.it} La banca del cliente può sbloccare il PIN.`],
  ),
  pin_not_checked: row("86 126 127 128", [], ["The PIN could not be checked", LATER.en], ["Il PIN non si è potuto verificare", LATER.it]),
  unknown_card: row(
    "14 56 111 118",
    ["INVALID CARD", "INVALID CARD NUMBER", "CARTA NON VALIDA"],
    ["The bank does not know this card number", `If the number was typed in, check it. ${OTHER_WAY.en}`],
    ["La banca non conosce questo numero di carta", `Se il numero è stato digitato, controllalo. ${OTHER_WAY.it}`],
  ),
  inactive_card: row(
    "125",
    ["CARD NOT ACTIVE", "CARTA NON ATTIVA"],
    ["The card is not active yet", `${OTHER_WAY.en} The customer activates the card with the bank.`],
    ["La carta non è ancora attiva", `${OTHER_WAY.it} Il cliente attiva la carta con la banca.`],
  ),
  restricted_card: row(
    "62 104",
    ["RESTRICTED CARD"],
    ["The card is restricted and cannot pay here", OTHER_WAY.en],
    ["La carta ha delle limitazioni e qui non può pagare", OTHER_WAY.it],
  ),
  card_not_permitted: row(
    "57 119",
    ["TRANSACTION NOT PERMITTED", "OPERAZIONE NON CONSENTITA", "OPERAZIONE NON PERMESSA"],
    ["The card does not allow this kind of payment", OTHER_WAY.en],
    ["La carta non consente questo tipo di pagamento", OTHER_WAY.it],
  ),
  no_account: row(
    "39 42 44 52 53 114",
    [],
    ["The card has no account of the chosen kind", `If the terminal offers a choice, choose the other account. ${OTHER_WAY.en}`],
    ["La carta non ha un conto del tipo scelto", `Se il terminale fa scegliere, scegli l’altro conto. ${OTHER_WAY.it}`],
  ),
  terminal_not_permitted: row(
    "58 120",
    ["TERMINAL NOT ENABLED", "TERMINALE NON ABILITATO"],
    ["This terminal is not enabled for this kind of payment", "Ask for another way to pay. Call your acquirer to have it enabled."],
    ["Il terminale non è abilitato a questo tipo di pagamento", "Chiedi un altro modo di pagare. Chiama il tuo acquirer per abilitarlo."],
  ),
  invalid_merchant: row(
    "03 109",
    ["INVALID MERCHANT", "ESERCENTE NON VALIDO"],
    [
      "The acquirer does not know your shop, or your contract does not include this payment",
      "Ask for another way to pay, and call your acquirer.",
    ],
    [
      "L’acquirer non riconosce il negozio, o il contratto non comprende questo pagamento",
      "Chiedi un altro modo di pagare e chiama il tuo acquirer.",
    ],
  ),
  call_acquirer: row(
    "60 66 103 105",
    ["CALL ACQUIRER"],
    ["The bank asks the shop to call its acquirer", QUIETLY.en],
    ["La banca chiede al negozio di chiamare il suo acquirer", QUIETLY.it],
  ),
  call_issuer: row(
    "01 02 107 108",
    ["REFER TO CARD ISSUER", "CALL ISSUER", "CHIAMARE BANCA"],
    [
      "The bank wants to speak with the cardholder first",
      `${OTHER_WAY.en} Never enter an authorization code that the customer, or a caller, tells you.`,
    ],
    [
      "La banca vuole prima parlare con il titolare",
      `${OTHER_WAY.it} Non inserire mai un codice di autorizzazione dettato dal cliente o da chi telefona.`,
    ],
  ),
  suspected_fraud: row(
    "59 102 129",
    ["SUSPECTED FRAUD", "SOSPETTA FRODE"],
    ["The bank suspects misuse of the card", QUIETLY.en],
    ["La banca sospetta un uso improprio della carta", QUIETLY.it],
  ),
  security_violation: row(
    "63 122",
    ["SECURITY VIOLATION"],
    ["The payment failed a security check", `${OTHER_WAY.en} Do not try this card again.`],
    ["Il pagamento non ha superato un controllo di sicurezza", `${OTHER_WAY.it} Non riprovare con questa carta.`],
  ),
  retain_card: row(
    "04 07 33 34 35 36 37 38 67 200 201 202 203 204 205 206 207 210",
    ["PICK UP CARD", "RETAIN CARD", "CAPTURE CARD", "RITIRARE CARTA", "TRATTENERE CARTA"],
    ["The bank has blocked the card", NEVER_KEEP.en],
    ["La banca ha bloccato la carta", NEVER_KEEP.it],
  ),
  lost_card: row(
    "41 208",
    ["LOST CARD", "CARTA SMARRITA"],
    ["The card is reported as lost", NEVER_KEEP.en],
    ["La carta risulta smarrita", NEVER_KEEP.it],
  ),
  stolen_card: row(
    "43 209",
    ["STOLEN CARD", "CARTA RUBATA"],
    ["The card is reported as stolen", NEVER_KEEP.en],
    ["La carta risulta rubata", NEVER_KEEP.it],
  ),
  stop_payment: row(
    "R0 R1 R3",
    [],
    [
      "The customer has told the bank to stop these payments",
      "Do not charge this card again. Agree on another way to pay with the customer.",
    ],
    [
      "Il cliente ha chiesto alla banca di bloccare questi pagamenti",
      "Non addebitare più questa carta. Concorda con il cliente un altro modo di pagare.",
    ],
  ),
  not_lawful: row(
    "93 124",
    [],
    ["The law or the rules of the network do not allow this payment", "Do not repeat it with this card. Ask for another way to pay."],
    [
      "La legge o le regole del circuito non consentono questo pagamento",
      "Non ripeterlo con questa carta. Chiedi un altro modo di pagare.",
    ],
  ),
  invalid_amount: row(
    "13 110",
    ["INVALID AMOUNT", "IMPORTO NON VALIDO"],
    ["This amount is not accepted", "Check the amount and the currency, and start the payment again."],
    ["L’importo non è accettato", "Controlla l’importo e la valuta, poi avvia di nuovo il pagamento."],
  ),
  invalid_request: row(
    "12 30 902 904",
    ["INVALID TRANSACTION", "FORMAT ERROR"],
    ["The bank could not accept the payment in this form", LATER.en],
    ["La banca non ha potuto accettare il pagamento in questa forma", LATER.it],
  ),
  not_supported: row(
    "40 115",
    ["NOT SUPPORTED", "SERVICE NOT SUPPORTED", "FUNCTION NOT SUPPORTED", "FUNZIONE NON SUPPORTATA"],
    ["This kind of payment is not supported", "Ask for another way to pay. The support of your terminal can tell you what is supported."],
    ["Questo tipo di pagamento non è supportato", "Chiedi un altro modo di pagare. L’assistenza del terminale sa che cosa è supportato."],
  ),
  no_route: row(
    "15 31 92 905 908",
    [],
    ["Cards of this bank cannot be reached from here", OTHER_WAY.en],
    ["Le carte di questa banca non sono raggiungibili da qui", OTHER_WAY.it],
  ),
  bank_unavailable: row(
    "68 90 91 906 907 910 911 912",
    ["ISSUER UNAVAILABLE", "CARD ISSUER NOT AVAILABLE", "ISSUER NOT AVAILABLE", "BANCA NON DISPONIBILE", "BANCA NON RAGGIUNGIBILE"],
    ["The customer’s bank did not answer", LATER.en],
    ["La banca del cliente non ha risposto", LATER.it],
  ),
  offline: row(
    "Z3",
    ["UNABLE TO GO ONLINE", "CONNECTION ERROR", "NO CONNECTION", "ERRORE DI CONNESSIONE", "NESSUNA CONNESSIONE"],
    ["The terminal could not reach the bank", "Check the connection of the terminal, and start the payment again."],
    ["Il terminale non ha raggiunto la banca", "Controlla la connessione del terminale e avvia di nuovo il pagamento."],
  ),
  declined_by_card: row(
    "Z1",
    [],
    ["The card itself declined the payment", OTHER_WAY.en],
    ["La carta stessa ha rifiutato il pagamento", OTHER_WAY.it],
  ),
  technical: row(
    "06 20 22 96 909 920",
    ["SYSTEM ERROR", "SYSTEM MALFUNCTION", "ERRORE DI SISTEMA"],
    ["Technical error at the bank or in the network", LATER.en],
    ["Errore tecnico della banca o del circuito", LATER.it],
  ),
  terminal_keys: row(
    "916 917 918 919",
    [],
    ["The security keys of the terminal are not accepted", "Ask for another way to pay, and call the support of your terminal."],
    ["Le chiavi di sicurezza del terminale non sono accettate", "Chiedi un altro modo di pagare e chiama l’assistenza del terminale."],
  ),
  try_again: row(
    "19 903",
    [],
    ["The bank asks to send the payment again", "Start the payment again once. If it is declined again, ask for another way to pay."],
    [
      "La banca chiede di inviare di nuovo il pagamento",
      "Avvia di nuovo il pagamento una volta. Se viene rifiutato ancora, chiedi un altro modo di pagare.",
    ],
  ),
  duplicate: row(
    "94 913",
    ["DUPLICATE TRANSACTION"],
    ["The bank already has this payment", LOOK_FIRST.en],
    ["La banca ha già questo pagamento", LOOK_FIRST.it],
  ),
  in_progress: row(
    "09 923",
    [],
    ["An earlier request for this payment is still in progress", LOOK_FIRST.en],
    ["Una richiesta precedente per questo pagamento è ancora in corso", LOOK_FIRST.it],
  ),
  cancelled: row(
    "17 180 GW_20090",
    [
      ...["CANCELLED", "CANCELED", "ABORTED", "CANCELLED BY CUSTOMER", "CANCELED BY CUSTOMER", "CANCELLED BY USER", "CANCELED BY USER"],
      ...["PAYMENT CANCELLED BY THE BUYER", "CANCELED BY THE MERCHANT", "ANNULLATO", "ANNULLATA", "ANNULLATO DAL CLIENTE"],
    ],
    ["Cancelled before it was paid", START_AGAIN.en],
    ["Annullato prima di essere pagato", START_AGAIN.it],
  ),
  time_over: row("GW_20002", ["SESSION EXPIRED (TIMEOUT)"], ["Not paid in time", START_AGAIN.en], ["Non pagato in tempo", START_AGAIN.it]),
  satispay_cancelled: row(
    "SATISPAY_CANCELED SATISPAY_CANCELLED",
    [],
    [
      "Cancelled in Satispay, or not confirmed there in time",
      "Ask the customer to open the app and start the payment again, or to pay in another way.",
    ],
    [
      "Annullato in Satispay, o non confermato lì in tempo",
      "Chiedi al cliente di aprire l’app, poi avvia di nuovo il pagamento, o chiedi un altro modo di pagare.",
    ],
  ),
} as const satisfies Readonly<Record<string, Row>>;

export type DeclineReason = keyof typeof TABLE;

type Language = "en" | "it";

export interface DeclineWords {
  /** A short phrase, without a full stop. */
  readonly reason: string;
  /** What the shop can do next, in sentences. */
  readonly next: string;
}

interface Row extends Readonly<Record<Language, DeclineWords>> {
  readonly codes: readonly string[];
  readonly texts: readonly string[];
}

function row(codes: string, texts: readonly string[], en: readonly [string, string], it: readonly [string, string]): Row {
  return { codes: codes.split(" "), texts, en: { reason: en[0], next: en[1] }, it: { reason: it[0], next: it[1] } };
}

/** What is known about a declined payment. */
export interface DeclineFacts {
  readonly actionCode?: string | null | undefined;
  readonly message?: string | null | undefined;
  /** The state of the payment at Satispay. */
  readonly satispayStatus?: string | null | undefined;
}

export const DECLINE_REASONS = Object.keys(TABLE).filter((name): name is DeclineReason => Object.hasOwn(TABLE, name));

/** The codes and messages of each reason. */
export const DECLINE_CODES: Readonly<Record<DeclineReason, Pick<Row, "codes" | "texts">>> = TABLE;

function placesOf(member: "codes" | "texts"): ReadonlyMap<string, DeclineReason> {
  return new Map(DECLINE_REASONS.flatMap((reason) => TABLE[reason][member].map((key) => [key, reason] as const)));
}

const BY_CODE = placesOf("codes");
const BY_TEXT = placesOf("texts");

/** A message may name the reason where the code says only that there is one. */
const UNSPECIFIC: ReadonlySet<DeclineReason> = new Set(["declined", "invalid_request"]);

/** Returns the reason of a declined payment; null if its code and its message are unknown. */
export function declineReasonOf({ actionCode, message, satispayStatus }: DeclineFacts): DeclineReason | null {
  const found = [
    BY_CODE.get(upperCase(actionCode)),
    // Providers of stored cards use the names of this table, such as `insufficient_funds`.
    DECLINE_REASONS.find((reason) => reason.toUpperCase() === upperCase(actionCode)),
    BY_CODE.get(`SATISPAY_${upperCase(satispayStatus)}`),
    BY_TEXT.get(upperCase(message)),
  ].filter((reason) => reason !== undefined);
  return found.find((reason) => !UNSPECIFIC.has(reason)) ?? found[0] ?? null;
}

export function declineWordsOf(reason: DeclineReason, language: Language): DeclineWords {
  return TABLE[reason][language];
}

function upperCase(text: string | null | undefined): string {
  return (text ?? "").trim().replace(/\s+/g, " ").toUpperCase();
}
