interface Member {
  untilMs: number;
  facts: string;
  since: number;
}

/** What storage/bus/cluster/membership.lua does, on simulated time. */
export class SimMembers {
  readonly #nowMs: () => number;
  readonly #members = new Map<string, Member>();
  #joined = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Redis is another one than before. */
  clear(): void {
    this.#members.clear();
  }

  run(incarnation: string, facts: string, lifetimeMs: number): unknown[] {
    const nowMs = this.#nowMs();
    for (const [name, { untilMs }] of this.#members) if (untilMs <= nowMs) this.#members.delete(name);
    let since = "0";
    if (incarnation !== "" && lifetimeMs > 0) {
      this.#joined += 1;
      const known = this.#members.get(incarnation)?.since ?? this.#joined;
      this.#members.set(incarnation, { untilMs: nowMs + lifetimeMs, facts, since: known });
      since = String(known);
    } else if (incarnation !== "") {
      this.#members.delete(incarnation);
    }
    const live = [...this.#members].sort(([one], [other]) => (one < other ? -1 : 1));
    const ends = live.map(([, { untilMs }]) => untilMs);
    return [nowMs, since, String(Math.max(0, ...ends)), ...live.map(([, member]) => member.facts)];
  }
}
