/** As in the engine, which decides; this is to say so before anything is sent. */
export const NAME_LENGTH_MAX = 64;
export const ADDRESSES_MAX = 20;
export const DAYS_MAX = 90;
export const LINKS_PER_HOUR_MAX = 1_000;
