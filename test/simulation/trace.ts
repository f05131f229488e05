/** What happened in a history, line by line; two runs of a seed have to give the same. */
export class Trace {
  readonly #startMs: number;
  readonly #nowMs: () => number;
  readonly lines: string[] = [];
  #hash = 0x811c9dc5;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#startMs = nowMs();
  }

  /** `who` is a device, a partner, a node, or `world` for what befalls them. */
  note(who: string, what: string): void {
    const line = `${((this.#nowMs() - this.#startMs) / 1_000).toFixed(3).padStart(8)} ${who.padEnd(10)} ${what}`;
    this.lines.push(line);
    let hash = this.#hash;
    for (let index = 0; index < line.length; index += 1) hash = Math.imul(hash ^ line.charCodeAt(index), 0x01000193);
    this.#hash = hash;
  }

  get hash(): string {
    return (this.#hash >>> 0).toString(16).padStart(8, "0");
  }
}
