import type { Invariant } from "./ledger.ts";

/** Named for each finding. */
const EXAMPLES_MAX = 10;

/** What one terminal saw of the roll-out. */
interface Seen {
  /** The administrator has sent the deployment to it. */
  deploying: boolean;
  /** By `performance.now`; null before. */
  deploySentMs: number | null;
  told: boolean;
  /** The relay has said that it sent it a notice. */
  notified: boolean;
  /** A notice of the version came. */
  noticed: boolean;
  /** Of the version that it was told of. */
  digest: "none" | "right" | "wrong";
  installed: boolean;
  /** Its connection was lost before it had a notice, which it may have missed. */
  missed: boolean;
  /** A notice named another package than the version's. */
  misnoticed: boolean;
  /** It was told of another version, or of this one again after it had installed it. */
  misled: boolean;
  failed: boolean;
}

/** What all terminals saw of a roll-out, for the invariants at the end. */
export class RolloutLedger {
  readonly #seen = new Map<string, Seen>();
  /** Who was offered what was not meant for them, and how often the others asked. */
  readonly #strangers: string[] = [];
  #askedByOthers = 0;
  #notices = 0;
  #firstDeployMs: number | null = null;
  #lastInstallMs: number | null = null;

  constructor(terminalIds: readonly string[]) {
    for (const terminalId of terminalIds) {
      this.#seen.set(terminalId, {
        deploying: false,
        deploySentMs: null,
        told: false,
        notified: false,
        noticed: false,
        missed: false,
        misnoticed: false,
        digest: "none",
        installed: false,
        misled: false,
        failed: false,
      });
    }
  }

  deploying(terminalId: string, atMs: number): void {
    const seen = this.#of(terminalId);
    seen.deploying = true;
    seen.deploySentMs = atMs;
    this.#firstDeployMs ??= atMs;
  }

  /** A terminal of the roll-out asked and was told nothing, or of a version; `right`: the one that is rolled out. */
  told(terminalId: string, what: "nothing" | "right" | "other"): void {
    const seen = this.#of(terminalId);
    if (!seen.deploying) {
      this.#askedByOthers += 1;
      if (what !== "nothing") this.#strangers.push(`${terminalId}, before it was deployed to it`);
    }
    if (what === "right") seen.told = true;
    if (what === "other" || (what === "right" && seen.installed)) seen.misled = true;
  }

  /** The relay has sent a terminal a notice. */
  notified(terminalId: string): void {
    this.#of(terminalId).notified = true;
  }

  /** A terminal of the run, one of the roll-out or not, has lost its connection. */
  offline(terminalId: string): void {
    const seen = this.#seen.get(terminalId);
    if (seen !== undefined && !seen.installed) seen.missed = true;
  }

  /**
   * A terminal of the run, one of the roll-out or not, got a notice of the version; `right`: with the package that is rolled out. Answers how long after its
   * deployment, in milliseconds; null for one that came before, or is not the first.
   */
  noticed(terminalId: string, what: "right" | "other", atMs: number): number | null {
    this.#notices += 1;
    const seen = this.#seen.get(terminalId);
    if (seen === undefined || !seen.deploying) {
      this.#strangers.push(`${terminalId}, by a notice`);
      return null;
    }
    if (what === "other") {
      seen.misnoticed = true;
      return null;
    }
    if (seen.noticed) return null;
    seen.noticed = true;
    return atMs - (seen.deploySentMs ?? atMs);
  }

  /** Someone else asked. */
  askedByOther(terminalId: string, wasOffered: boolean): void {
    this.#askedByOthers += 1;
    if (wasOffered) this.#strangers.push(terminalId);
  }

  downloaded(terminalId: string, isRight: boolean): void {
    this.#of(terminalId).digest = isRight ? "right" : "wrong";
  }

  /** Answers how long after its deployment, in milliseconds. */
  installed(terminalId: string, atMs: number): number {
    const seen = this.#of(terminalId);
    seen.installed = true;
    this.#lastInstallMs = atMs;
    return atMs - (seen.deploySentMs ?? atMs);
  }

  failed(terminalId: string): void {
    this.#of(terminalId).failed = true;
  }

  isTold(terminalId: string): boolean {
    return this.#of(terminalId).told;
  }

  counts() {
    const count = (of: (seen: Seen) => boolean) => [...this.#seen.values()].filter(of).length;
    return {
      targets: this.#seen.size,
      deployed: count(({ deploying }) => deploying),
      told: count(({ told }) => told),
      noticed: count(({ noticed }) => noticed),
      downloaded: count(({ digest }) => digest !== "none"),
      installed: count(({ installed }) => installed),
      failed: count(({ failed }) => failed),
      askedByOthers: this.#askedByOthers,
      /** From the first deployment to the last install report; null where nothing was installed. */
      seconds: this.#firstDeployMs === null || this.#lastInstallMs === null ? null : (this.#lastInstallMs - this.#firstDeployMs) / 1_000,
    };
  }

  installedIds(): string[] {
    return this.#which(({ installed }) => installed);
  }

  /** `miscounted`: terminals of whose install the relay's own counts say something else. `left`: what is still there after all was taken back, in words. */
  invariants({ miscounted, takenBack, left }: { miscounted: readonly string[]; takenBack: number; left: readonly string[] }): Invariant[] {
    const { told, downloaded, installed } = this.counts();
    return [
      invariant(
        {
          name: "told is installed",
          meaning: "each terminal that was told of the version installed exactly that one, once, and was told of no other",
          checked: told,
        },
        this.#which((seen) => seen.misled || (seen.told && !seen.installed)),
      ),
      invariant(
        {
          name: "bytes are right",
          meaning: "each package arrived as it was uploaded, by the SHA-256 of all its parts together",
          checked: downloaded,
        },
        this.#which(({ digest }) => digest === "wrong"),
      ),
      invariant(
        {
          name: "notices arrive",
          meaning:
            "each notice named the package that was uploaded, and each terminal that the relay says it notified got it, unless its connection was lost before",
          checked: this.#notices,
        },
        this.#which((seen) => seen.misnoticed || (seen.notified && !seen.noticed && !seen.missed)),
      ),
      invariant(
        {
          name: "offered to nobody else",
          meaning: "no terminal was offered the version, or notified of it, to which it was not deployed, or before it was",
          checked: this.#askedByOthers + this.#notices,
        },
        this.#strangers,
      ),
      invariant(
        {
          name: "installs are counted",
          meaning: "the relay's own counts say of each deployment what its terminal did",
          checked: installed,
        },
        miscounted,
      ),
      invariant(
        {
          name: "all of it is taken back",
          meaning:
            "after the roll-back terminals with an older version are offered the earlier one, and after the deletion there is neither a version nor a deployment of the run",
          checked: takenBack,
        },
        left,
      ),
    ];
  }

  #which(of: (seen: Seen) => boolean): string[] {
    return [...this.#seen].filter(([, seen]) => of(seen)).map(([terminalId]) => terminalId);
  }

  #of(terminalId: string): Seen {
    const seen = this.#seen.get(terminalId);
    if (seen === undefined) throw new Error(`${terminalId} is no terminal of the roll-out`);
    return seen;
  }
}

function invariant(of: Pick<Invariant, "name" | "meaning" | "checked">, broken: readonly string[]): Invariant {
  return { ...of, holds: broken.length === 0, broken: broken.length, examples: broken.slice(0, EXAMPLES_MAX) };
}
