import type {
  ZvtBegun,
  ZvtEnded,
  ZvtLastReceipt,
  ZvtOutcome,
  ZvtPayment,
  ZvtProgress,
  ZvtReceipt,
  ZvtRoute,
  ZvtRouteChoice,
  ZvtState,
  ZvtStatus,
} from "../../engine/zvt/zvt-payments.ts";
import { CODES, COMMANDS, CONFIG, CONFIG_AFTER_LOG_OFF, TERMINAL_STATUS } from "./codes.ts";
import type { Frame } from "./frame.ts";
import * as limits from "./limits.ts";
import {
  ACKNOWLEDGEMENT,
  abortion,
  completion,
  intermediateStatus,
  type LocalTimeOf,
  negativeAcknowledgement,
  registrationCompletion,
  registrationRefused,
  slipFrames,
  statusCompletion,
  statusInformation,
} from "./replies.ts";
import { isOpenPreAuthorizationsEnquiry, readAuthorization, readRegistration, readRepeatReceipt } from "./requests.ts";

/** The terminals pay in euro only. */
const CURRENCY = "0978";

/**
 * What one connection of a register does: events in, the next state and effects out. It has no clock, no socket and no store. At any time one
 * frame of ours at most waits for its acknowledgement (`inFlight`); what waits behind it is in `queue`. See PROTOCOL.md.
 */
export interface SessionState {
  phase: Phase;
  inFlight: InFlight | null;
  /** Frames that follow the one in flight. */
  queue: readonly Outgoing[];
  /** Frames of the register that wait until the engine has answered. */
  held: readonly Frame[];
  /** Acknowledgements that may still come for frames which a command acknowledged before: the two crossed on their way. */
  lateAcknowledgements: number;
  /** Null until a password tells which of several. */
  route: ZvtRoute | null;
  wrongPasswords: number;
  /** Since the last command that was carried out. */
  refusals: number;
  /** A command was carried out: this is a register. */
  accepted: boolean;
  configByte: number;
  /** The register sent a currency, so it understands bitmap 49. */
  currencySent: boolean;
  textBlocks: boolean;
  lineWidth: number | null;
  /** Enquiries since `enquiriesSinceMs`. */
  enquiries: number;
  enquiriesSinceMs: number;
  /** The node stops: the connection is closed as soon as nothing is under way. */
  draining: boolean;
}

/** `answering`: frames of an answer are sent; `asking`: the engine is asked; `paying`: a payment is under way and has not ended. */
export type Phase =
  | { name: "idle" }
  | { name: "answering" }
  | { name: "asking"; what: "begin" | "receipt" | "status" | "store"; command: Frame | null; sinceMs: number }
  | { name: "paying"; payment: ZvtPayment; progress: ZvtProgress | null; shown: number | null; shownAtMs: number; outcome: ZvtEnded | null }
  | { name: "closed" };

/**
 * `progress`: 04-FF. `enquiry`: the end of a 05-01 within a payment. `paid`, `notPaid`: 04-0F of a payment. `repeat`: 04-0F of a 06-20. `slip`: 06-D1
 * and 06-D3. `final`: 06-0F and 06-1E.
 */
export type SentKind = "progress" | "enquiry" | "paid" | "notPaid" | "repeat" | "slip" | "final";

export interface Outgoing {
  kind: SentKind;
  frame: Frame;
  /** The payment whose outcome the register has heard when it acknowledges this frame. */
  tells: ZvtPayment | null;
}

export interface InFlight extends Outgoing {
  deadlineMs: number;
  /** Times that it was sent again, because the register asked to wait. */
  repeats: number;
  /** Set while that wait lasts. */
  repeatAtMs: number | null;
}

export type SessionEvent =
  | { type: "frame"; frame: Frame }
  | { type: "routeChosen"; choice: ZvtRouteChoice }
  | { type: "begun"; begun: ZvtBegun }
  | { type: "progress"; progress: ZvtProgress }
  | { type: "ended"; outcome: ZvtOutcome }
  | { type: "replaced" }
  | { type: "receipt"; receipt: ZvtLastReceipt }
  | { type: "status"; status: ZvtStatus }
  /** What `delivered` or `refused` asked for is stored. */
  | { type: "stored" }
  | { type: "timedOut" }
  | { type: "draining" }
  /** The socket closed, or has to be closed: what the register did is in `reason`. */
  | { type: "closed"; reason: string };

export type Effect =
  | { type: "send"; frame: Frame }
  | { type: "chooseRoute"; password: string }
  | { type: "begin"; routeId: string; amountCents: number; currency: string; intermediateStatus: boolean }
  | { type: "follow"; payment: ZvtPayment }
  | { type: "heard" }
  | { type: "cancel" }
  | { type: "disconnected" }
  /** Ends with the event `stored`. */
  | { type: "delivered"; payment: ZvtPayment }
  | { type: "undelivered"; payment: ZvtPayment }
  /** Ends with the event `stored`. */
  | { type: "refusedByRegister"; payment: ZvtPayment; code: number }
  | { type: "askReceipt"; routeId: string }
  | { type: "askStatus"; routeId: string }
  /** Another connection of this node, which had the payment before. */
  | { type: "closeOther"; connectionId: string }
  /** For counting. */
  | { type: "refused"; reason: string }
  | { type: "close"; reason: string };

export interface SessionOptions {
  /** In the answer to 05-01. */
  version: string;
  localTimeOf: LocalTimeOf;
  /** However much is refused, the connection stays open: the peer is a proxy of the installation. */
  keepsRefused?: boolean;
}

export interface Step {
  state: SessionState;
  effects: readonly Effect[];
}

/** A connection that was accepted, of which `route` was asked without a password. */
export function openSession(choice: ZvtRouteChoice, atMs: number): Step {
  const state: SessionState = {
    phase: { name: "idle" },
    inFlight: null,
    queue: [],
    held: [],
    lateAcknowledgements: 0,
    route: choice.type === "route" ? choice.route : null,
    wrongPasswords: 0,
    refusals: 0,
    accepted: false,
    configByte: 0,
    currencySent: false,
    textBlocks: false,
    lineWidth: null,
    enquiries: 0,
    enquiriesSinceMs: atMs,
    draining: false,
  };
  if (choice.type === "route" || choice.type === "password") return { state, effects: [] };
  return { state: { ...state, phase: { name: "closed" } }, effects: [{ type: "close", reason: "no_route" }] };
}

/** When the session wants a `timedOut`, or null. */
export function deadlineOf({ phase, inFlight, configByte }: SessionState): number | null {
  if (phase.name === "closed") return null;
  if (inFlight !== null) return inFlight.repeatAtMs ?? inFlight.deadlineMs;
  if (phase.name === "asking" && phase.what === "store") return phase.sinceMs + limits.STORE_WAIT_MS;
  if (phase.name === "paying" && (configByte & CONFIG.intermediateStatus) !== 0) return phase.shownAtMs + limits.PROGRESS_INTERVAL_MS;
  return null;
}

/**
 * Whether the connection may be closed to make room for another: no command of it was carried out or is being decided, so that nothing of a payment depends on it. A
 * register is silent between sales, so that later silence says nothing.
 */
export function mayGiveWay({ phase, accepted }: SessionState): boolean {
  return !accepted && phase.name === "idle";
}

export function stepSession(state: SessionState, event: SessionEvent, atMs: number, options: SessionOptions): Step {
  const run = new Run(state, atMs, options);
  run.handle(event);
  return { state: run.state, effects: run.effects };
}

/** What a command of the register does when nothing is under way. The acknowledgement comes first in all but those that are refused outright. */
const COMMAND_TABLE: { readonly [command: number]: (run: Run, frame: Frame) => void } = {
  [COMMANDS.registration]: (run, frame) => run.register(frame),
  [COMMANDS.authorization]: (run, frame) => run.authorize(frame),
  [COMMANDS.statusEnquiry]: (run, frame) => run.enquire(frame),
  [COMMANDS.logOff]: (run) => run.logOff(),
  // Nothing is paid: nothing to abort, and nothing to complete.
  [COMMANDS.abortPayment]: (run) => run.send(ACKNOWLEDGEMENT),
  // Takes no completion: a register would take one for the answer to its next command.
  [COMMANDS.displayText]: (run) => run.send(ACKNOWLEDGEMENT),
  [COMMANDS.repeatReceipt]: (run, frame) => run.askReceipt(frame),
  [COMMANDS.reversal]: (run) => run.answer(abortion(CODES.reversalImpossible)),
  [COMMANDS.refund]: (run) => run.answer(abortion(CODES.functionImpossible)),
  [COMMANDS.endOfDay]: (run) => run.answer(abortion(CODES.endOfDayImpossible)),
  [COMMANDS.sendTurnoverTotals]: (run) => run.answer(abortion(CODES.endOfDayImpossible)),
  [COMMANDS.preAuthorization]: (run) => run.answer(abortion(CODES.functionImpossible)),
  [COMMANDS.partialReversal]: (run, { data }) => run.answer(isOpenPreAuthorizationsEnquiry(data) ? NO_PRE_AUTHORIZATION : NO_FUNCTION),
  [COMMANDS.bookTotal]: (run) => run.answer(abortion(CODES.functionImpossible)),
  [COMMANDS.preAuthorizationReversal]: (run) => run.answer(abortion(CODES.functionImpossible)),
  [COMMANDS.diagnosis]: (run, frame) => run.askStatus(frame),
  [COMMANDS.initialisation]: (run, frame) => run.askStatus(frame),
  [COMMANDS.setDateAndTime]: (run) => run.answer(completion()),
};

/** Commands that are carried out without asking the engine. */
const ANSWERED_AT_ONCE: ReadonlySet<number> = new Set([
  COMMANDS.logOff,
  COMMANDS.abortPayment,
  COMMANDS.displayText,
  COMMANDS.setDateAndTime,
]);

const NO_FUNCTION = abortion(CODES.functionImpossible);
const NO_PRE_AUTHORIZATION = abortion(CODES.noPreAuthorization, [{ tag: 0x87, value: Uint8Array.of(0xff, 0xff) }]);

/**
 * A command in the place of an acknowledgement. `acknowledges`: the register has read our frame, or reads no further: the rest of the old answer is
 * dropped, and the command is answered. `busy`: an approved 04-0F has to be acknowledged by itself.
 */
const COMMAND_INSTEAD: { readonly [K in SentKind]: "acknowledges" | "busy" } = {
  progress: "acknowledges",
  enquiry: "acknowledges",
  paid: "busy",
  notPaid: "acknowledges",
  repeat: "busy",
  slip: "acknowledges",
  final: "acknowledges",
};

/** 04-FF for each progress. */
const SHOWN: { readonly [P in ZvtProgress]: number } = { waiting: 0x0e, sent: 0x0a, cancelling: 0x0e };

const STATUS: { readonly [S in ZvtState]: number } = TERMINAL_STATUS;

/** One step. It changes its own copy of the state. */
class Run {
  state: SessionState;
  readonly effects: Effect[] = [];
  readonly #atMs: number;
  readonly #options: SessionOptions;

  constructor(state: SessionState, atMs: number, options: SessionOptions) {
    this.state = state;
    this.#atMs = atMs;
    this.#options = options;
  }

  handle(event: SessionEvent): void {
    if (this.state.phase.name === "closed") {
      // It was stored while the register went away, which was told nothing: it is not sent before the register asks again.
      if (event.type === "begun" && "payment" in event.begun) this.effects.push({ type: "undelivered", payment: event.begun.payment });
      return;
    }
    const { refusals } = this.state;
    this.#handle(event);
    if (this.state.refusals > refusals) this.#closeIfRefusedTooOften();
  }

  #handle(event: SessionEvent): void {
    switch (event.type) {
      case "frame":
        this.#frame(event.frame);
        return;
      case "routeChosen":
        this.#routeChosen(event.choice);
        return;
      case "begun":
        this.#begun(event.begun);
        return;
      case "progress":
        this.#progress(event.progress);
        return;
      case "ended":
        this.#ended(event.outcome);
        return;
      case "replaced":
        this.#close("replaced");
        return;
      case "receipt":
        this.#receipt(event.receipt);
        return;
      case "status":
        this.#status(event.status);
        return;
      case "stored":
        this.#stored();
        return;
      case "timedOut":
        this.#timedOut();
        return;
      case "draining":
        this.#set({ draining: true });
        this.#closeIfDrained();
        return;
      case "closed":
        this.#tellOfEnd();
        this.#close(event.reason);
        return;
    }
  }

  send(frame: Frame): void {
    if (frame.command >> 8 === 0x84) this.#countInARow();
    this.effects.push({ type: "send", frame });
  }

  /** Acknowledges a command, and completes it with one frame. */
  answer(frame: Frame): void {
    if (frame.command === COMMANDS.abort) this.#countInARow();
    this.send(ACKNOWLEDGEMENT);
    this.#deliver([{ kind: "final", frame, tells: null }]);
  }

  register({ data }: Frame): void {
    const registration = readRegistration(data);
    if (registration === null) {
      this.#refuse("unreadable", abortion(CODES.protocolError));
      return;
    }
    const { password, configByte, currency, textBlocks, lineWidth } = registration;
    if (currency !== null && currency !== CURRENCY) {
      this.#count("currency");
      this.send(registrationRefused(CODES.currency, currency));
      return;
    }
    this.#set({ configByte, currencySent: currency !== null, textBlocks, lineWidth });
    this.effects.push({ type: "chooseRoute", password });
  }

  authorize(frame: Frame): void {
    const { route, configByte, draining } = this.state;
    const request = readAuthorization(frame.data);
    switch (request.type) {
      case "unreadable":
        this.#refuse("unreadable", abortion(CODES.protocolError));
        return;
      case "zeroAmount":
        this.#refuse("amount", abortion(CODES.amountTooSmall));
        return;
      case "cardData":
        this.#refuse("card_data", abortion(CODES.cardData));
        return;
      case "vending":
        this.#refuseOutright("vending", CODES.functionImpossible);
        return;
    }
    const { amountCents, currency } = request;
    if (currency !== null && currency !== CURRENCY) {
      this.#refuse("currency", abortion(CODES.currency));
      return;
    }
    if (route === null || route.needsPassword) {
      this.#refuse("password", abortion(CODES.notPermitted));
      return;
    }
    if (draining) {
      this.#refuseOutright("busy", CODES.busy);
      return;
    }
    if (currency !== null) this.#set({ currencySent: true });
    const intermediateStatus = (configByte & CONFIG.intermediateStatus) !== 0;
    this.#ask("begin", frame, { type: "begin", routeId: route.routeId, amountCents, currency: CURRENCY, intermediateStatus });
  }

  enquire(frame: Frame): void {
    if (!this.#mayEnquire()) {
      this.#refuseOutright("enquiries", CODES.busy);
      return;
    }
    const { route } = this.state;
    if (route === null) {
      this.answer(statusCompletion(this.#options.version, TERMINAL_STATUS.offline));
      return;
    }
    this.send(ACKNOWLEDGEMENT);
    this.#ask("status", frame, { type: "askStatus", routeId: route.routeId });
  }

  logOff(): void {
    this.#set({ configByte: CONFIG_AFTER_LOG_OFF });
    this.send(ACKNOWLEDGEMENT);
  }

  askReceipt(frame: Frame): void {
    const { route } = this.state;
    if (route === null || route.needsPassword) {
      this.#refuse("password", abortion(CODES.notPermitted));
      return;
    }
    this.send(ACKNOWLEDGEMENT);
    this.#ask("receipt", frame, { type: "askReceipt", routeId: route.routeId });
  }

  askStatus(frame: Frame): void {
    const { route } = this.state;
    if (route === null) {
      this.#refuse("password", abortion(CODES.notPermitted));
      return;
    }
    this.send(ACKNOWLEDGEMENT);
    this.#ask("status", frame, { type: "askStatus", routeId: route.routeId });
  }

  #frame(frame: Frame): void {
    const family = frame.command >> 8;
    const acknowledges = family === 0x80 || family === 0x84;
    if (this.state.phase.name === "asking" && !acknowledges) {
      if (this.state.held.length >= limits.HELD_FRAMES_MAX) {
        this.#tellOfEnd();
        this.#close("too_many_frames");
        return;
      }
      this.#set({ held: [...this.state.held, frame] });
      return;
    }
    if (acknowledges) {
      this.#acknowledged(family === 0x80 ? 0 : frame.command & 0xff);
      return;
    }
    this.#command(frame);
  }

  #command(frame: Frame): void {
    const { inFlight } = this.state;
    const aborts = frame.command === COMMANDS.abortPayment;
    if (inFlight === null && this.state.phase.name === "idle") this.#set({ lateAcknowledgements: 0 });
    if (inFlight !== null) {
      if (COMMAND_INSTEAD[inFlight.kind] === "busy") {
        // An abort that crosses the result comes too late, and says so by the result that follows.
        if (aborts) {
          this.send(ACKNOWLEDGEMENT);
          return;
        }
        if (frame.command === COMMANDS.displayText) {
          this.send(ACKNOWLEDGEMENT);
          return;
        }
        this.#refuseOutright("busy", CODES.busy);
        return;
      }
      this.#set({ lateAcknowledgements: 1 });
      if (inFlight.kind === "progress" || inFlight.kind === "enquiry") this.#set({ inFlight: null });
      else {
        this.#commandInsteadOf(inFlight, frame, aborts);
        return;
      }
    }
    if (this.state.phase.name === "paying") {
      this.#commandWithinPayment(frame);
      return;
    }
    const handler = COMMAND_TABLE[frame.command];
    if (handler === undefined) {
      this.#refuseOutright("unsupported", CODES.functionImpossible);
      return;
    }
    const { refusals } = this.state;
    handler(this, frame);
    if (this.state.refusals === refusals && ANSWERED_AT_ONCE.has(frame.command)) this.#set({ accepted: true });
    this.#closeIfDrained();
  }

  /** The frame in flight belongs to the end of an answer. */
  #commandInsteadOf(inFlight: InFlight, frame: Frame, aborts: boolean): void {
    if (aborts && inFlight.kind !== "final") {
      // The register still waits for the end of this answer.
      this.send(ACKNOWLEDGEMENT);
      const rest = inFlight.kind === "slip" ? this.state.queue.filter(({ kind }) => kind === "final") : this.state.queue;
      this.#set({ inFlight: null, queue: rest });
      this.#heardOf(inFlight);
      return;
    }
    this.#set({ inFlight: null, queue: [], phase: { name: "idle" } });
    if (inFlight.tells === null) {
      this.#command(frame);
      return;
    }
    // Before the command, which may be the next payment of the same amount.
    this.#set({ held: [frame, ...this.state.held] });
    this.#store({ type: "delivered", payment: inFlight.tells });
  }

  #commandWithinPayment(frame: Frame): void {
    switch (frame.command) {
      case COMMANDS.abortPayment:
        this.send(ACKNOWLEDGEMENT);
        this.effects.push({ type: "cancel" });
        this.#continuePayment();
        return;
      case COMMANDS.displayText:
        this.send(ACKNOWLEDGEMENT);
        this.#continuePayment();
        return;
      case COMMANDS.statusEnquiry:
        if (!this.#mayEnquire()) {
          this.#refuseOutright("enquiries", CODES.busy);
          this.#continuePayment();
          return;
        }
        this.send(ACKNOWLEDGEMENT);
        this.#transmit({ kind: "enquiry", frame: statusCompletion(this.#options.version, TERMINAL_STATUS.paying), tells: null });
        return;
      default:
        this.#refuseOutright("busy", CODES.busy);
        this.#continuePayment();
        return;
    }
  }

  /** 0 is 80-00, or 84-00, which says the same. */
  #acknowledged(code: number): void {
    const { inFlight, phase, lateAcknowledgements } = this.state;
    // Of another frame than an approval it does not matter whose acknowledgement it is: the other one is still to come.
    if (inFlight === null || inFlight.kind === "paid") this.#set({ lateAcknowledgements: Math.max(0, lateAcknowledgements - 1) });
    // It answers nothing that waits for it.
    if (inFlight === null) return;
    const negative = code !== 0;
    if (inFlight.kind === "paid" && lateAcknowledgements > 0) {
      // Perhaps of an older frame. An approval must not be taken for delivered by mistake: without another answer it is sent again.
      this.#set({ inFlight: { ...inFlight, repeatAtMs: this.#atMs + limits.REPEAT_AFTER_MS } });
      return;
    }
    if (inFlight.kind === "paid" && negative) {
      this.#approvalRefused(inFlight, code);
      return;
    }
    this.#set({ inFlight: null });
    if (phase.name === "paying") {
      if (inFlight.kind === "progress" && !negative) this.effects.push({ type: "heard" });
      this.#continuePayment();
      return;
    }
    if (inFlight.kind === "slip" && negative) this.#set({ queue: this.state.queue.filter(({ kind }) => kind === "final") });
    // What was refused of a repeated receipt was not heard.
    if (inFlight.kind === "repeat" && negative) {
      this.#sendNext();
      return;
    }
    this.#heardOf(inFlight);
  }

  /** The card was charged, and cannot be uncharged: the register is told the truth whatever it says. */
  #approvalRefused(inFlight: InFlight, code: number): void {
    if (code === CODES.pleaseWait && inFlight.repeats < limits.REPEATS_MAX) {
      this.#set({ inFlight: { ...inFlight, repeatAtMs: this.#atMs + limits.REPEAT_AFTER_MS } });
      return;
    }
    this.#set({ inFlight: null, queue: this.state.queue.filter(({ kind }) => kind === "final") });
    if (inFlight.tells === null) {
      this.#sendNext();
      return;
    }
    this.#count("result_refused");
    this.#store({ type: "refusedByRegister", payment: inFlight.tells, code });
  }

  #heardOf({ tells }: Outgoing): void {
    if (tells === null) {
      this.#sendNext();
      return;
    }
    this.#store({ type: "delivered", payment: tells });
  }

  #routeChosen(choice: ZvtRouteChoice): void {
    switch (choice.type) {
      case "route":
        this.#set({ route: choice.route, refusals: 0, accepted: true });
        this.answer(registrationCompletion(choice.route.tid, this.state.currencySent ? CURRENCY : null));
        return;
      case "password":
      case "wrongPassword": {
        const wrongPasswords = this.state.wrongPasswords + 1;
        this.#set({ wrongPasswords });
        if (wrongPasswords < limits.WRONG_PASSWORDS_MAX) {
          this.#refuse("password", abortion(CODES.notPermitted));
          return;
        }
        this.#count("password");
        this.#close("wrong_passwords");
        return;
      }
      case "none":
        this.#close("no_route");
        return;
    }
  }

  #begun(begun: ZvtBegun): void {
    if (this.state.phase.name !== "asking" || this.state.phase.what !== "begin") return;
    if ("payment" in begun) this.#set({ refusals: 0, accepted: true });
    switch (begun.type) {
      case "busy":
        this.#set({ phase: { name: "idle" } });
        this.#refuseOutright("busy", CODES.busy);
        this.#readHeld();
        return;
      case "refused":
        this.#set({ phase: { name: "idle" } });
        this.#refuse(begun.code === CODES.offline ? "offline" : "not_permitted", abortion(begun.code));
        this.#readHeld();
        return;
      case "begun":
        this.#pay(begun.payment);
        this.#readHeld();
        return;
      case "reattached":
        this.#closeOther(begun.replaces);
        this.#pay(begun.payment);
        this.#readHeld();
        return;
      case "deliver":
        this.#closeOther(begun.replaces);
        this.send(ACKNOWLEDGEMENT);
        this.#tell(begun.payment, begun.outcome);
        this.#readHeld();
        return;
    }
  }

  #pay(payment: ZvtPayment): void {
    const phase: Phase = { name: "paying", payment, progress: null, shown: null, shownAtMs: this.#atMs, outcome: null };
    this.#set({ phase });
    // Stored before, sent after: a register that hears nothing asks again, and finds it.
    this.send(ACKNOWLEDGEMENT);
    this.effects.push({ type: "follow", payment });
  }

  #progress(progress: ZvtProgress): void {
    const { phase } = this.state;
    if (phase.name !== "paying") return;
    this.#set({ phase: { ...phase, progress } });
    this.#continuePayment();
  }

  #ended(outcome: ZvtOutcome): void {
    const { phase } = this.state;
    if (phase.name !== "paying") return;
    // Neither paid nor not paid: every final frame would be a lie.
    if (outcome.type === "unknown") {
      this.#close("unknown_outcome");
      return;
    }
    this.#set({ phase: { ...phase, outcome } });
    this.#continuePayment();
  }

  /** What comes next of a payment, when no frame is in flight. */
  #continuePayment(): void {
    const { phase, inFlight, configByte } = this.state;
    if (phase.name !== "paying" || inFlight !== null) return;
    if (phase.outcome !== null) {
      this.#tell(phase.payment, phase.outcome);
      return;
    }
    if ((configByte & CONFIG.intermediateStatus) === 0) return;
    const due = this.#atMs >= phase.shownAtMs + limits.PROGRESS_INTERVAL_MS;
    const status = phase.progress === null ? SHOWN.waiting : SHOWN[phase.progress];
    if (!due && (phase.progress === null || status === phase.shown)) return;
    this.#set({ phase: { ...phase, shown: status, shownAtMs: this.#atMs } });
    this.#transmit({ kind: "progress", frame: intermediateStatus(status), tells: null });
  }

  /** The outcome of a payment, to its end. */
  #tell(payment: ZvtPayment, outcome: ZvtEnded): void {
    const { receipt } = outcome;
    const information = receipt === null ? null : this.#information(receipt);
    if (outcome.type === "notPaid") {
      const final = abortion(outcome.code);
      if (information === null) {
        this.#deliver([{ kind: "final", frame: final, tells: payment }]);
        return;
      }
      this.#deliver([
        { kind: "notPaid", frame: information, tells: payment },
        ...this.#slipsOf(receipt),
        { kind: "final", frame: final, tells: null },
      ]);
      return;
    }
    this.#deliver([
      { kind: "paid", frame: this.#information(outcome.receipt), tells: payment },
      ...this.#slipsOf(outcome.receipt),
      { kind: "final", frame: completion(), tells: null },
    ]);
  }

  /** The slip of a payment, for a register that has registered to print it. */
  #slipsOf(receipt: ZvtReceipt | null): Outgoing[] {
    const wanted = CONFIG.registerPrintsPayment | CONFIG.printLines;
    if (receipt === null || (this.state.configByte & wanted) !== wanted) return [];
    return this.#slips(receipt);
  }

  #slips(receipt: ZvtReceipt): Outgoing[] {
    return slipFrames(receipt, this.state).map((frame) => ({ kind: "slip", frame, tells: null }));
  }

  #receipt(last: ZvtLastReceipt): void {
    const { phase } = this.state;
    if (phase.name !== "asking" || phase.what !== "receipt") return;
    this.#set({ accepted: true });
    if (last.type === "none") this.#deliver([{ kind: "final", frame: abortion(CODES.functionImpossible), tells: null }]);
    else if (last.type === "live") this.#deliver([{ kind: "final", frame: abortion(CODES.pleaseWait), tells: null }]);
    else {
      const wanted = readRepeatReceipt(phase.command?.data ?? new Uint8Array(0));
      const status: Outgoing = { kind: "repeat", frame: this.#information(last.receipt), tells: last.payment };
      this.#deliver([
        ...(wanted.status ? [status] : []),
        ...(wanted.slip ? this.#slips(last.receipt) : []),
        { kind: "final", frame: completion(), tells: null },
      ]);
    }
    this.#readHeld();
  }

  #status(status: ZvtStatus): void {
    const { phase } = this.state;
    if (phase.name !== "asking" || phase.what !== "status") return;
    this.#set({ accepted: true });
    const frame =
      phase.command?.command === COMMANDS.statusEnquiry
        ? statusCompletion(this.#options.version, STATUS[status.state])
        : status.answers
          ? completion()
          : abortion(CODES.offline);
    this.#deliver([{ kind: "final", frame, tells: null }]);
    this.#readHeld();
  }

  #stored(): void {
    const { phase } = this.state;
    if (phase.name !== "asking" || phase.what !== "store") return;
    // The register has gone on: what is left of the old answer would be taken for the answer to its new command.
    const [held] = this.state.held;
    if (held !== undefined && held.command !== COMMANDS.abortPayment) this.#set({ queue: [] });
    this.#sendNext();
    this.#readHeld();
  }

  #timedOut(): void {
    const due = deadlineOf(this.state);
    if (due === null || this.#atMs < due) return;
    const { inFlight, phase } = this.state;
    if (inFlight !== null && inFlight.repeatAtMs !== null) {
      this.send(inFlight.frame);
      const deadlineMs = this.#atMs + limits.ACK_TIMEOUT_MS;
      this.#set({ inFlight: { ...inFlight, repeats: inFlight.repeats + 1, repeatAtMs: null, deadlineMs } });
      return;
    }
    if (inFlight === null && phase.name === "paying") {
      this.#continuePayment();
      return;
    }
    this.#tellOfEnd();
    this.#close(inFlight === null ? "not_stored" : "no_ack");
  }

  /** Sends these frames, each after the acknowledgement of the one before. */
  #deliver(frames: readonly Outgoing[]): void {
    this.#set({ phase: { name: "answering" }, queue: frames });
    this.#sendNext();
  }

  #sendNext(): void {
    const [next, ...rest] = this.state.queue;
    if (next === undefined) {
      this.#set({ phase: { name: "idle" }, queue: [] });
      this.#closeIfDrained();
      return;
    }
    this.#set({ phase: { name: "answering" }, queue: rest });
    this.#transmit(next);
  }

  #transmit(outgoing: Outgoing): void {
    this.send(outgoing.frame);
    this.#set({ inFlight: { ...outgoing, deadlineMs: this.#atMs + limits.ACK_TIMEOUT_MS, repeats: 0, repeatAtMs: null } });
  }

  #ask(what: "begin" | "receipt" | "status", command: Frame, effect: Effect): void {
    this.#set({ phase: { name: "asking", what, command, sinceMs: this.#atMs } });
    this.effects.push(effect);
  }

  #store(effect: Effect): void {
    this.#set({ phase: { name: "asking", what: "store", command: null, sinceMs: this.#atMs } });
    this.effects.push(effect);
  }

  /** Frames that came while the engine was asked, until it is asked again. */
  #readHeld(): void {
    while (this.state.phase.name !== "asking" && this.state.phase.name !== "closed") {
      const [frame, ...rest] = this.state.held;
      if (frame === undefined) return;
      this.#set({ held: rest });
      this.#frame(frame);
    }
  }

  /** The connection ends: what the register has not heard is kept for it. */
  #tellOfEnd(): void {
    const { phase, inFlight, queue } = this.state;
    if (phase.name === "paying") return void this.effects.push({ type: "disconnected" });
    const untold = [inFlight, ...queue].find((outgoing) => outgoing !== null && outgoing.tells !== null && outgoing.kind !== "repeat");
    if (untold?.tells) this.effects.push({ type: "undelivered", payment: untold.tells });
  }

  #close(reason: string): void {
    this.#set({ phase: { name: "closed" }, inFlight: null, queue: [], held: [] });
    this.effects.push({ type: "close", reason });
  }

  #closeOther(connectionId: string | null): void {
    if (connectionId !== null) this.effects.push({ type: "closeOther", connectionId });
  }

  #closeIfDrained(): void {
    const { draining, phase, inFlight } = this.state;
    if (draining && phase.name === "idle" && inFlight === null) this.#close("drained");
  }

  /** Never where money is open: a payment that is under way, or a result that the register has not acknowledged. */
  #closeIfRefusedTooOften(): void {
    const { refusals, phase, inFlight, queue } = this.state;
    if (refusals < limits.REFUSALS_MAX || this.#options.keepsRefused === true) return;
    if (phase.name === "paying" || phase.name === "asking" || phase.name === "closed") return;
    if ([inFlight, ...queue].some((outgoing) => outgoing !== null && outgoing.tells !== null)) return;
    this.#close("too_many_refusals");
  }

  #refuse(reason: string, frame: Frame): void {
    this.#count(reason);
    this.answer(frame);
  }

  #refuseOutright(reason: string, code: number): void {
    this.#count(reason);
    this.send(negativeAcknowledgement(code));
  }

  #countInARow(): void {
    this.#set({ refusals: this.state.refusals + 1 });
  }

  #count(reason: string): void {
    this.effects.push({ type: "refused", reason });
  }

  #mayEnquire(): boolean {
    const fresh = this.#atMs >= this.state.enquiriesSinceMs + 1_000;
    const enquiries = fresh ? 1 : this.state.enquiries + 1;
    this.#set({ enquiries, enquiriesSinceMs: fresh ? this.#atMs : this.state.enquiriesSinceMs });
    return enquiries <= limits.ENQUIRIES_PER_SECOND_MAX;
  }

  #information(receipt: ZvtReceipt): Frame {
    return statusInformation(receipt, { currency: this.state.currencySent, localTimeOf: this.#options.localTimeOf });
  }

  #set(changes: Partial<SessionState>): void {
    this.state = { ...this.state, ...changes };
  }
}
