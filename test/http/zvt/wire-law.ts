import assert from "node:assert/strict";

/** Commands that are answered by an acknowledgement alone. */
const WITHOUT_COMPLETION = new Set([0x06e0, 0x0602, 0x06b0]);
const FINALS = new Set([0x060f, 0x061e]);

/** One TCP segment. */
const FRAME_BYTES_MAX = 1_400;

/** TLV 1F1F asks for a reversal, and 1F73 is a register's own. */
const NEVER_SENT = /\b1F (1F|73)\b/;

const NEED_ACKNOWLEDGEMENT = new Set([0x040f, 0x04ff, 0x06d1, 0x06d3, ...FINALS]);

/**
 * What must hold of every dialogue, judged from the bytes alone: one frame of the terminal at most waits for its acknowledgement, each command gets
 * one final frame at most, and none that takes no completion gets one. And what registers that are in use get wrong is never sent.
 */
export class WireLaw {
  #unacknowledged: string | null = null;
  /** Commands that were accepted and wait for their final frame; an enquiry within a payment stands behind it. */
  #completing: number[] = [];
  /** Commands without an answer yet, in order. */
  #asked: number[] = [];
  /** A currency came: only then may one be sent. */
  #currency = false;
  readonly dialogue: string[] = [];

  register(hex: string, command: number): void {
    this.dialogue.push(`> ${hex}`);
    if (/^06 0[01] .*\b(09 78|49 09 78)/.test(hex)) this.#currency = true;
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
    assert.ok(hex.split(" ").length <= FRAME_BYTES_MAX, `more than a segment${shown}`);
    if (command === 0x040f || command === 0x060f) {
      assert.ok(!NEVER_SENT.test(hex), `asks for a reversal${shown}`);
      assert.ok(this.#currency || !/\b49 09 78\b/.test(hex), `a currency for a register that sent none${shown}`);
    }
    // With a TLV container it ends a widespread library.
    if (command === 0x04ff) assert.match(hex, /^04 FF 0(1 ..|2 .. ..)$/, shown);
    // As the answer to a command it counts as accepted at a widespread register.
    assert.notEqual(command, 0x849c, shown);
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
    if (!FINALS.has(command)) return;
    const completed = this.#completing.pop();
    // Bitmap 19 in it makes registers ask again without a pause.
    if (completed === 0x0501 && command === 0x060f) assert.match(hex, /^06 0F .. F[0-9] F[0-9] F[0-9] ([2-7][0-9A-F] )*(00|DF|9C)$/, shown);
  }
}
