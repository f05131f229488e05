import { RowsRefused } from "./feed-sink.ts";

/** An item that the sink refuses even when it is sent alone, and why. */
export interface Refused<T> {
  item: T;
  reason: string;
}

/** Handles items after the sink has accepted or refused them. */
export interface Settled<T> {
  delivered(items: readonly T[]): Promise<void>;
  refused(refused: Refused<T>): Promise<void>;
}

/**
 * Delivers the items of each piece. A piece with a refused item is divided into halves until that
 * item is alone. Settled items are removed from `pieces`, so that a call after a failure continues
 * there. Throws any other error of the delivery.
 */
export async function settlePieces<T>(
  pieces: (readonly T[])[],
  deliver: (items: readonly T[]) => Promise<void>,
  settled: Settled<T>,
): Promise<void> {
  for (let piece = pieces[0]; piece !== undefined; piece = pieces[0]) {
    const reason = await whyRefused(deliver(piece));
    const [only] = piece;
    if (reason === null) await settled.delivered(piece);
    else if (piece.length === 1 && only !== undefined) await settled.refused({ item: only, reason });
    else {
      const middle = piece.length >> 1;
      pieces.splice(0, 1, piece.slice(0, middle), piece.slice(middle));
      continue;
    }
    pieces.shift();
  }
}

/**
 * Delivers items, and resolves with those that are refused. After a failure, repeat the whole call.
 */
export async function bisectBatch<T>(items: readonly T[], deliver: (items: readonly T[]) => Promise<void>): Promise<Refused<T>[]> {
  const refused: Refused<T>[] = [];
  if (items.length === 0) return refused;
  await settlePieces([items], deliver, {
    delivered: async () => {},
    refused: async (one) => {
      refused.push(one);
    },
  });
  return refused;
}

async function whyRefused(delivery: Promise<void>): Promise<string | null> {
  try {
    await delivery;
    return null;
  } catch (error) {
    if (error instanceof RowsRefused) return error.message;
    throw error;
  }
}
