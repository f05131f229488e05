import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { Value } from "@sinclair/typebox/value";
import { ChargeAnswer, type ChargeRequest } from "../../../http/gateway/card-on-file.ts";

/** Beyond it nothing is charged any more: what is forgotten could be charged twice. */
const CHARGES_MAX = 1_000_000;

/** Attempts of a cycle that `card_sandbox_recovers` declines. */
const DECLINED_FIRST = 2;

/** What a card on file says: whether it is charged, and whether the answer gets lost. */
interface Said {
  answer: ChargeAnswer;
  isLost: boolean;
}

const SOFT: ChargeAnswer = { type: "failed", hard: false, code: "insufficient_funds", description: "Insufficient funds" };
const HARD: ChargeAnswer = { type: "failed", hard: true, code: "card_expired", description: "The card has expired" };
const UNKNOWN_CARD: ChargeAnswer = { type: "failed", hard: true, code: "unknown_card", description: "There is no such card on file" };
const TOO_LATE: ChargeAnswer = { type: "failed", hard: false, code: "too_late", description: "It was said that this was never received" };
const TOO_MANY: ChargeAnswer = { type: "failed", hard: false, code: "too_many", description: "The sandbox keeps no more charges" };

/** Cards on file, by their ids (README.md). The number of a cycle and of the attempt at it are the end of the charge's id. */
function saidOf({ id, methodId }: ChargeRequest, nowMs: number): Said {
  const done: ChargeAnswer = { type: "done", atMs: nowMs };
  const [, cycle, attempt] = /-(\d+)-(\d+)$/.exec(id) ?? [];
  switch (methodId) {
    case "card_sandbox_ok":
      return { answer: done, isLost: false };
    case "card_sandbox_declined":
      return { answer: SOFT, isLost: false };
    case "card_sandbox_expired":
      return { answer: HARD, isLost: false };
    case "card_sandbox_lost":
      return { answer: done, isLost: true };
    case "card_sandbox_recovers":
      return { answer: Number(cycle) > 1 && Number(attempt) <= DECLINED_FIRST ? SOFT : done, isLost: false };
    default:
      return { answer: UNKNOWN_CARD, isLost: false };
  }
}

/** Charges of cards on file: each id at most once, and one that was said to be absent never. */
export class Charges {
  /** What became of each, by id; `absent` where it was asked about before it came. */
  readonly #byId = new Map<string, ChargeAnswer>();
  readonly #file: string | null;
  readonly #nowMs: () => number;

  /** Throws when the file cannot be read. */
  constructor(file: string | null, nowMs: () => number) {
    this.#file = file;
    this.#nowMs = nowMs;
    if (file !== null && existsSync(file)) this.#load(readFileSync(file, "utf8"));
  }

  /** `isLost`: its answer is to get lost. */
  charge(request: ChargeRequest): Said {
    const known = this.#byId.get(request.id);
    if (known !== undefined) return { answer: known.type === "absent" ? TOO_LATE : known, isLost: false };
    if (this.#byId.size >= CHARGES_MAX) return { answer: TOO_MANY, isLost: false };
    const said = saidOf(request, this.#nowMs());
    this.#keep(request.id, said.answer);
    return said;
  }

  verify({ id }: ChargeRequest): ChargeAnswer {
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    this.#keep(id, { type: "absent" });
    return { type: "absent" };
  }

  all(): { id: string; answer: ChargeAnswer }[] {
    return [...this.#byId].map(([id, answer]) => ({ id, answer }));
  }

  #keep(id: string, answer: ChargeAnswer): void {
    // Written before it is answered: what was said counts after a kill too.
    if (this.#file !== null) appendFileSync(this.#file, `${JSON.stringify({ id, answer })}\n`, { mode: 0o600 });
    this.#byId.set(id, answer);
  }

  #load(text: string): void {
    for (const line of text.split("\n")) {
      if (line === "") continue;
      let kept: unknown;
      try {
        kept = JSON.parse(line);
      } catch {
        // For a line that was cut off by a kill no response had been sent.
        continue;
      }
      if (isKept(kept)) this.#byId.set(kept.id, kept.answer);
    }
  }
}

function isKept(value: unknown): value is { id: string; answer: ChargeAnswer } {
  if (typeof value !== "object" || value === null || !("id" in value) || !("answer" in value)) return false;
  return typeof value.id === "string" && Value.Check(ChargeAnswer, value.answer);
}
