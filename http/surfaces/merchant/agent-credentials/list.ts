import { AGENT_STATES } from "../../../../engine/agents/words.ts";

/** The filters of the list of credentials. The endpoint checks them, and the page offers them. */
export const AGENT_LIST = { state: { type: "word", words: AGENT_STATES } } as const;
