import { PLAIN_BEHAVIOUR, type Plan } from "./plan.ts";

/**
 * A session whose home is told of it only after the session's node has left: the home keeps it, and puts payments to it that reach nobody. Found by a
 * seed of an earlier way to draw plans, and shrunk.
 */
export const SESSION_OF_A_NODE_THAT_LEFT: Plan = {
  shape: { seed: 103741, salt: 130, isCluster: true, nodes: 3, shards: 1, skewsMs: [], tickMs: 400, hasTail: false },
  terminals: ["T3"],
  devices: [
    {
      name: "T3-a",
      login: "T3",
      topics: [{ terminalId: "T3", ack: "client", redeliver: false }],
      polls: [],
      pollEveryMs: 0,
      beginsAtMs: 3_326,
    },
  ],
  partners: [{ name: "regex", id: 3, rule: { ruleType: "REGEX", ruleValue: "T[1-9]" } }],
  rules: [],
  group: null,
  commands: [
    {
      uuid: "d0f1bc92-9b90-42f3-a957-8bda67c69969",
      partner: "regex",
      terminalId: "T3",
      kind: "payment",
      amount: 8_171,
      atMs: 15_298,
      behaviour: PLAIN_BEHAVIOUR,
      looksMs: [],
      pryingMs: [],
      cancelsMs: [],
      repeatsMs: null,
    },
  ],
  mishaps: [
    { atMs: 11_891, device: "T3-a", what: "unsubscribes" },
    { atMs: 12_551, device: "T3-a", what: "takes nothing" },
  ],
  faults: [
    { atMs: 16_662, type: "messages suffer", forMs: 1_624, dropped: 0, delayed: 0.49, repeated: 0.04, refused: 0, delayMsMax: 4_000 },
    { atMs: 17_251, type: "node leaves", node: 2, downMs: 4_441 },
  ],
};
