import assert from "node:assert/strict";

/** Commands that are answered by an acknowledgement alone. */
const WITHOUT_COMPLETION = new Set([0x06e0, 0x0602, 0x06b0]);
const FINALS = new Set([0x060f, 0x061e]);
const NEED_ACKNOWLEDGEMENT = new Set([0x040f, 0x04ff, 0x06d1, 0x06d3, ...FINALS]);

/**
 * What must hold of every dialogue, judged from the bytes alone: one frame of the terminal at most waits for its acknowledgement, each command gets
 * one final frame at most, and none that takes no completion gets one.
 */
export class WireLaw {
  #unacknowledged: string | null = null;
  /** Commands that were accepted and wait for their final frame; an enquiry within a payment stands behind it. */
  #completing: number[] = [];
  /** Commands without an answer yet, in order. */
  #asked: number[] = [];
  readonly dialogue: string[] = [];

  register(hex: string, command: number): void {
    this.dialogue.push(`> ${hex}`);
    const acknowledges = command >> 8 === 0x80 || command >> 8 === 0x84;
    if (acknowledges) this.#unacknowledged = null;
    else {
      this.#asked.push(command);
      // An approved result is acknowledged by itself only.
      if (this.#unacknowledged !== null && !/^04 0F .. 27 00/.test(this.#unacknowledged)) this.#unacknowledged = null;
    }
  }

  terminal(hex: string, command: number): void {
    this.dialogue.push(`< ${hex}`);
    const shown = `\n${this.dialogue.join("\n")}`;
    if (command === 0x8000) {
      const answered = this.#asked.shift();
      assert.ok(answered !== undefined, `acknowledges nothing${shown}`);
      if (!WITHOUT_COMPLETION.has(answered)) {
        const withinPayment = answered === 0x0501 && this.#completing.includes(0x0601);
        this.#completing = withinPayment ? [0x0601, 0x0501] : [answered];
      }
      return;
    }
    if (command >> 8 === 0x84) {
      assert.ok(this.#asked.shift() !== undefined, `refuses nothing${shown}`);
      return;
    }
    assert.ok(NEED_ACKNOWLEDGEMENT.has(command), `sends ${command.toString(16)}${shown}`);
    const repeated = this.#unacknowledged === hex;
    assert.ok(this.#unacknowledged === null || repeated, `two frames without an acknowledgement${shown}`);
    this.#unacknowledged = hex;
    assert.ok(this.#completing.length > 0, `a frame that no command asked for${shown}`);
    if (FINALS.has(command)) this.#completing.pop();
  }
}
