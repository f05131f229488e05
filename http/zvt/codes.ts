/** Commands that are spoken here, as class and instruction. */
export const COMMANDS = {
  statusEnquiry: 0x0501,
  registration: 0x0600,
  authorization: 0x0601,
  logOff: 0x0602,
  completion: 0x060f,
  sendTurnoverTotals: 0x0610,
  abort: 0x061e,
  repeatReceipt: 0x0620,
  preAuthorization: 0x0622,
  partialReversal: 0x0623,
  bookTotal: 0x0624,
  preAuthorizationReversal: 0x0625,
  reversal: 0x0630,
  refund: 0x0631,
  endOfDay: 0x0650,
  diagnosis: 0x0670,
  setDateAndTime: 0x0691,
  initialisation: 0x0693,
  abortPayment: 0x06b0,
  printLine: 0x06d1,
  printTextBlock: 0x06d3,
  displayText: 0x06e0,
  statusInformation: 0x040f,
  intermediateStatus: 0x04ff,
  acknowledgement: 0x8000,
} as const;

/** Result codes of PA00P015 that the relay gives by itself. */
export const CODES = {
  notPermitted: 0x6b,
  currency: 0x6f,
  endOfDayImpossible: 0x77,
  functionImpossible: 0x83,
  protocolError: 0x9a,
  pleaseWait: 0x9c,
  busy: 0xa0,
  offline: 0xa3,
  cardData: 0xa5,
  reversalImpossible: 0xb5,
  noPreAuthorization: 0xb8,
  amountTooSmall: 0xc8,
} as const;

/** Terminal status of a 05-01. */
export const TERMINAL_STATUS = { ready: 0x00, offline: 0xdf, paying: 0x9c } as const;

/** Bits of the config byte of a registration. */
export const CONFIG = { registerPrintsPayment: 0x02, intermediateStatus: 0x08, printLines: 0x80 } as const;

/** After 06-02. */
export const CONFIG_AFTER_LOG_OFF = 0x86;

const KNOWN = new Set<number>(Object.values(COMMANDS));

/** For counting: four hexadecimal digits of a known command, `80xx` and `84xx` for acknowledgements, else `other`. */
export function commandName(command: number): string {
  if (command >> 8 === 0x80) return "80xx";
  if (command >> 8 === 0x84) return "84xx";
  return KNOWN.has(command) ? command.toString(16).padStart(4, "0") : "other";
}
