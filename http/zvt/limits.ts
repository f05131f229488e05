/** Bounds of a connection. A register sends short frames, one at a time, and waits for the answer. */

/** Data of one frame of a register; a registration with all its TLV elements has some hundred bytes. */
export const FRAME_DATA_BYTES_MAX = 4_096;

/** Frames of ours are at most this long, so that each goes into one TCP segment: a register may take one segment for one frame. */
export const SENT_FRAME_BYTES_MAX = 1_400;

/** T3: from a frame to its acknowledgement. */
export const ACK_TIMEOUT_MS = 5_000;

/** From the first byte of a frame to its last. */
export const PARTIAL_FRAME_TIMEOUT_MS = 5_000;

/** A register that answers 04-0F with 84-9C ("please wait") gets it again after this time, this often. */
export const REPEAT_AFTER_MS = 2_000;
export const REPEATS_MAX = 10;

/** 04-FF while nothing changes, so that the register's T4 (180 s) starts again in time. */
export const PROGRESS_INTERVAL_MS = 15_000;

/** The next frame waits until the acknowledgement of 04-0F is stored; a register waits for it much longer than this. */
export const STORE_WAIT_MS = 30_000;

/** Status enquiries of one connection in a second; some registers poll without a pause. */
export const ENQUIRIES_PER_SECOND_MAX = 10;

/** Frames that wait while the engine is asked: an abort, an enquiry, and their repeats. A register that sends more does not wait for answers. */
export const HELD_FRAMES_MAX = 8;

/** Wrong passwords of one connection; the last of them closes it. */
export const WRONG_PASSWORDS_MAX = 3;

/** Frames in a row that are refused, without a command between them that is carried out; the last of them closes the connection. */
export const REFUSALS_MAX = 100;

/** A copy of a slip has some forty lines of 24 to 48 characters. */
export const SLIP_LINES_MAX = 120;
export const SLIP_LINE_CHARACTERS_MAX = 80;
export const SLIP_LINE_CHARACTERS_MIN = 16;

/** Text of 3C; a register shows it in one or two lines. */
export const MESSAGE_CHARACTERS_MAX = 120;

/** Bytes that are written and not yet taken by the register; it reads a few hundred bytes in a payment. */
export const SOCKET_BUFFER_BYTES_MAX = 65_536;

/** How long the register has to take the last frame after the end of a connection. */
export const CLOSE_TIMEOUT_MS = 5_000;

export const TLS_HANDSHAKE_TIMEOUT_MS = 5_000;

/** A register that vanished without a word is noticed after a few of these. */
export const KEEP_ALIVE_MS = 10_000;

/** A register that had no acknowledgement for 5 s sends its 06-01 elsewhere; a process that slept nearly so long reads old ones. */
export const STALL_TICK_MS = 500;
export const STALL_MS = 4_000;

/** What had arrived while it slept is read within this time, also where the connections had not been accepted yet. */
export const AFTER_STALL_MS = 2_000;
