/** What is known of one payment of the run, as bits. */
const ACCEPTED = 1;
/** Its pay was given up or refused, so that the partner does not know whether it counts. */
const UNANSWERED = 2;
const HANDED_OUT = 4;
/** The terminal is told that the relay has its result. */
const STORED = 8;
/** The partner has the result, and it is the one that was posted. */
const FOUND = 16;
/** The partner was told that there will be no result: expired, cancelled or unknown. */
const ENDED = 32;
/** A terminal got it twice, though the relay did not say that it sends it again. */
const TWICE = 64;
/** The partner found another result than the terminal posted. */
const OTHER = 128;
/** The partner was told that it never left, and so may charge it again: expired or cancelled. */
const NEVER_LEFT = 256;

/** Uuids that are named for each finding. */
const EXAMPLES_MAX = 10;

/** A sentence that has to be true of a relay, and whether it is. */
export interface Invariant {
  name:
    | "nothing twice"
    | "nothing lost"
    | "every result found"
    | "429s are right"
    | "told is installed"
    | "bytes are right"
    | "notices arrive"
    | "offered to nobody else"
    | "installs are counted"
    | "all of it is taken back";
  meaning: string;
  holds: boolean;
  checked: number;
  broken: number;
  /** What broke it: uuids, some of them, or a sentence. */
  examples: readonly string[];
}

/** How a payment that has no result yet stands, as the relay says at the end; `lost` where it does not know it, `unasked` where it did not answer. */
export type Fate = "lost" | "unasked" | "known";

/**
 * What terminals and partners saw of every payment of a run, in two bytes each, for the invariants at the end. All of it is seen by this process, so nothing has to
 * be asked of the relay but what became of payments that nobody saw end.
 */
export class Ledger {
  readonly #bits: Uint16Array;
  /** Payments of the run that were begun. */
  #begun = 0;

  constructor(payments: number) {
    this.#bits = new Uint16Array(payments);
  }

  begin(index: number): void {
    this.#begun = Math.max(this.#begun, index + 1);
  }

  accepted(index: number): void {
    this.#set(index, ACCEPTED);
  }

  unanswered(index: number): void {
    this.#set(index, UNANSWERED);
  }

  /**
   * A terminal got the command. `again`: the relay says that it sent it before. Answers whether the terminal is to execute it, which it does once, and whether
   * its result was stored already.
   */
  handedOut(index: number, again: boolean): { first: boolean; stored: boolean } {
    const bits = this.#bits[index] ?? 0;
    const first = (bits & HANDED_OUT) === 0;
    if (!first && !again) this.#set(index, TWICE);
    this.#set(index, HANDED_OUT);
    return { first, stored: (bits & STORED) !== 0 };
  }

  /** Answers whether it was not known before. */
  stored(index: number): boolean {
    const isNew = ((this.#bits[index] ?? 0) & STORED) === 0;
    this.#set(index, STORED);
    return isNew;
  }

  /** The partner looked it up; `same`: what it found is what the terminal posted. */
  found(index: number, same: boolean): void {
    this.#set(index, same ? FOUND : OTHER);
  }

  ended(index: number, state: "expired" | "cancelled" | "unknown"): void {
    this.#set(index, state === "unknown" ? ENDED : ENDED | NEVER_LEFT);
  }

  /** Payments of which nobody saw an end, or whose result came after it: the relay has to be asked what became of them. */
  *open(): Generator<number> {
    for (let index = 0; index < this.#begun; index += 1) {
      const bits = this.#bits[index] ?? 0;
      if ((bits & (FOUND | OTHER)) !== 0 || (bits & (ENDED | STORED)) === ENDED) continue;
      if ((bits & (ACCEPTED | UNANSWERED | HANDED_OUT)) !== 0) yield index;
    }
  }

  /** Some of the payments whose results were found, spread over the run. */
  *sample(most: number): Generator<number> {
    const step = Math.max(1, Math.floor(this.#count(FOUND) / most));
    let seen = 0;
    for (let index = 0; index < this.#begun; index += 1) {
      if (((this.#bits[index] ?? 0) & FOUND) === 0) continue;
      if (seen % step === 0 && seen / step < most) yield index;
      seen += 1;
    }
  }

  counts() {
    return {
      begun: this.#begun,
      accepted: this.#count(ACCEPTED),
      handedOut: this.#count(HANDED_OUT),
      stored: this.#count(STORED),
      found: this.#count(FOUND),
      /** Without a result: expired, cancelled, unknown. */
      ended: this.#count(ENDED),
    };
  }

  /**
   * `fates`: of the payments that were `open`; of others nothing has to be asked. `gone`: payments whose results were found and, asked for again at the end, are
   * not there any more or another.
   */
  invariants(fates: ReadonlyMap<number, Fate>, gone: readonly number[], uuidOf: (index: number) => string): Invariant[] {
    const lost = this.#which((bits, index) => (bits & ACCEPTED) !== 0 && fates.get(index) !== undefined && fates.get(index) !== "known");
    const unfound = this.#which((bits) => (bits & OTHER) !== 0 || (bits & (STORED | FOUND)) === STORED);
    const invariant = (of: Pick<Invariant, "name" | "meaning" | "checked">, broken: readonly number[]): Invariant => ({
      ...of,
      holds: broken.length === 0,
      broken: broken.length,
      examples: broken.slice(0, EXAMPLES_MAX).map(uuidOf),
    });
    const { accepted, handedOut, stored } = this.counts();
    return [
      invariant(
        {
          name: "nothing twice",
          meaning:
            "no terminal got a command twice, unless the relay said that it sends it again and the terminal had asked for that; and none got one of which the partner was told that it never left (expired, cancelled)",
          checked: handedOut,
        },
        this.#which((bits) => (bits & TWICE) !== 0 || (bits & (NEVER_LEFT | HANDED_OUT)) === (NEVER_LEFT | HANDED_OUT)),
      ),
      invariant(
        {
          name: "nothing lost",
          meaning: "of every payment that was answered 200 the relay says what became of it",
          checked: accepted,
        },
        lost,
      ),
      invariant(
        {
          name: "every result found",
          meaning:
            "every result that the relay confirmed to a terminal was found by the partner, as it was posted, and is still there at the end",
          checked: stored,
        },
        [...new Set([...unfound, ...gone])].sort((one, other) => one - other),
      ),
    ];
  }

  #which(of: (bits: number, index: number) => boolean): number[] {
    const found: number[] = [];
    for (let index = 0; index < this.#begun; index += 1) if (of(this.#bits[index] ?? 0, index)) found.push(index);
    return found;
  }

  #count(bit: number): number {
    let count = 0;
    for (let index = 0; index < this.#begun; index += 1) if (((this.#bits[index] ?? 0) & bit) !== 0) count += 1;
    return count;
  }

  #set(index: number, bit: number): void {
    this.#bits[index] = (this.#bits[index] ?? 0) | bit;
  }
}
