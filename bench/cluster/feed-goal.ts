/** Of the feed of one node. Shown as met or not; nothing fails by it. */
export const FEED_GOAL_PER_SECOND = 30_000;
