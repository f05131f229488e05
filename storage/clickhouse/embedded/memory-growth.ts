import { READER_GIVE_UP_GROWTH_BYTES_MAX, READER_GROWTH_BYTES_MAX, READER_GROWTH_LOOK_MS } from "./reader-limits.ts";

export interface GrowthOptions {
  /** Called once, when the process has grown by more than a query may take. */
  onTooLarge(): void;
  /** Called at each check while it has grown beyond the second limit. */
  onGivenUp(): void;
}

export interface GrowthWatch {
  /** True once `onTooLarge` was called. */
  tooLarge(): boolean;
  stop(): void;
}

/** Watches the growth of this process from now on, until it is stopped. */
export function watchGrowth({ onTooLarge, onGivenUp }: GrowthOptions): GrowthWatch {
  const startBytes = process.memoryUsage.rss();
  let tooLarge = false;
  const look = setInterval(() => {
    const grownBytes = process.memoryUsage.rss() - startBytes;
    if (grownBytes > READER_GIVE_UP_GROWTH_BYTES_MAX) onGivenUp();
    if (grownBytes <= READER_GROWTH_BYTES_MAX || tooLarge) return;
    tooLarge = true;
    onTooLarge();
  }, READER_GROWTH_LOOK_MS);
  return { tooLarge: () => tooLarge, stop: () => clearInterval(look) };
}
