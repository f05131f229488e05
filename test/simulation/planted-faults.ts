import type { Caller } from "../../engine/access/caller.ts";
import type { Commit, Kv } from "../../engine/kernel/kv.ts";
import type { Invariant } from "./invariants/judge.ts";
import { NOTHING_PLANTED, type Plant } from "./plant.ts";

/** A fault that is put into the relay on purpose, and the invariants that may show it. */
export interface PlantedFault {
  name: string;
  /** A seed whose history shows it. */
  shownBy: number;
  breaks: readonly Invariant[];
  /** Made anew for each history: some count. */
  plant(): Plant;
}

const ADMINISTRATOR: Caller = { type: "administrator", username: "somebody", role: "owner" };

/** Checks dropped, rules skipped: the simulation has to find each of them. */
export const PLANTED_FAULTS: readonly PlantedFault[] = [
  {
    name: "commits check nothing",
    shownBy: 73,
    breaks: ["accepted once", "handed out once", "lives move forward", "results stand", "results are found"],
    plant: () => committing((commit) => ({ ...commit, checks: [] })),
  },
  {
    name: "a claim does not look whether its uuid is taken",
    shownBy: 27,
    breaks: ["accepted once", "handed out once"],
    plant: () =>
      committing((commit) => ({ ...commit, checks: commit.checks.filter(({ key, version }) => !key.startsWith("c/") || version > 0) })),
  },
  {
    name: "a terminal's record is written without its version",
    shownBy: 76,
    breaks: ["handed out once", "lives move forward", "accepted is known", "nothing waits"],
    plant: () => committing((commit) => ({ ...commit, checks: commit.checks.filter(({ key }) => !key.startsWith("t/")) })),
  },
  {
    name: "the whitelist allows everything",
    shownBy: 71,
    breaks: ["seen by its own"],
    plant: () => ({ ...NOTHING_PLANTED, directory: () => ({ mayTake: () => true }) }),
  },
  {
    name: "who asks is not looked at",
    shownBy: 73,
    breaks: ["seen by its own"],
    plant: () => ({ ...NOTHING_PLANTED, caller: () => ADMINISTRATOR }),
  },
  {
    name: "a result is acknowledged before it is stored",
    shownBy: 73,
    breaks: ["results are found", "fed once and right"],
    plant: () => {
      const isHit = everySo(6);
      return {
        ...NOTHING_PLANTED,
        terminals: (terminals) => ({
          ...terminals,
          recordResult: async (posting) => (isHit() ? { type: "recorded" } : terminals.recordResult(posting)),
        }),
      };
    },
  },
  {
    name: "a frame that was written is told as not written",
    shownBy: 73,
    breaks: ["handed out once"],
    plant: () => {
      const isHit = everySo(9);
      return {
        ...NOTHING_PLANTED,
        sessions: (sessions) => ({
          ...sessions,
          open: (session, socket) =>
            sessions.open(session, {
              deliver: (uuid, text) => socket.deliver(uuid, text) && (uuid === null || session.redeliver || !isHit()),
            }),
        }),
      };
    },
  },
  {
    name: "rows are left out of the outbox",
    shownBy: 73,
    breaks: ["fed once and right"],
    plant: () => {
      const isHit = everySo(8);
      return committing((commit) => {
        const operations = commit.operations.filter(
          (operation) => !operation.key.startsWith("o/") || operation.type === "delete" || !isHit(),
        );
        return { ...commit, operations };
      });
    },
  },
  {
    name: "how a command ended is left out of its result's row",
    shownBy: 76,
    breaks: ["fed once and right"],
    plant: () => {
      const isHit = everySo(8);
      return committing((commit) => {
        const operations = commit.operations.map((operation) => {
          if (operation.type === "delete" || !operation.key.startsWith("o/")) return operation;
          const { life, ...row } = JSON.parse(operation.value);
          return life === undefined || !isHit() ? operation : { ...operation, value: JSON.stringify(row) };
        });
        return { ...commit, operations };
      });
    },
  },
  {
    name: "rows of results say whose they are by themselves",
    shownBy: 73,
    breaks: ["its shop stays"],
    plant: () =>
      committing((commit) => {
        const operations = commit.operations.map((operation) => {
          if (operation.type === "delete" || !operation.key.startsWith("o/") || !operation.value.includes('"type":"transaction"'))
            return operation;
          return { ...operation, value: operation.value.replace(/"shop":"SHOP-\d"/, '"shop":"SHOP-1"') };
        });
        return { ...commit, operations };
      }),
  },
  {
    name: "a cancel of what was sent is told as done",
    shownBy: 94,
    breaks: ["cancelled never executed"],
    plant: () => ({
      ...NOTHING_PLANTED,
      terminals: (terminals) => ({
        ...terminals,
        cancel: async (request) => {
          const outcome = await terminals.cancel(request);
          return outcome.type === "requested" ? { type: "cancelled" } : outcome;
        },
      }),
    }),
  },
  {
    name: "what is unknown is told as expired",
    shownBy: 19,
    breaks: ["expired never left", "lives move forward"],
    plant: () => ({
      ...NOTHING_PLANTED,
      terminals: (terminals) => ({
        ...terminals,
        command: async (uuid, waitMs, maySee) => {
          const view = await terminals.command(uuid, waitMs, maySee);
          return view?.state === "unknown" ? { ...view, state: "expired" } : view;
        },
      }),
    }),
  },
  {
    name: "what is asked for in other letters is shown in them",
    shownBy: 11,
    breaks: ["capitals are the same uuid"],
    plant: () => ({
      ...NOTHING_PLANTED,
      terminals: (terminals) => ({
        ...terminals,
        command: async (uuid, waitMs, maySee) => {
          const view = await terminals.command(uuid, waitMs, maySee);
          return view === null ? null : { ...view, uuid };
        },
      }),
    }),
  },
  {
    name: "a result that nobody asked for lies under its uuid alone",
    shownBy: 11,
    breaks: ["refused for what was sent"],
    plant: () => {
      const bare = <T extends { key: string }>(item: T): T => ({ ...item, key: item.key.replace(/^(c\/[^/]+)\/.*/, "$1") });
      return committing((commit) => ({ ...commit, checks: commit.checks.map(bare), operations: commit.operations.map(bare) }));
    },
  },
  {
    name: "a session is not made known to its home",
    shownBy: 84,
    breaks: ["nothing waits"],
    plant: () => {
      const isHit = everySo(3);
      return {
        ...NOTHING_PLANTED,
        sessions: (sessions) => ({ ...sessions, open: (session, socket) => (isHit() ? null : sessions.open(session, socket)) }),
      };
    },
  },
  {
    name: "the store forgets a commit that it acknowledged",
    shownBy: 1,
    breaks: [
      "accepted is known",
      "results are found",
      "handed out once",
      "accepted once",
      "lives move forward",
      "fed once and right",
      "nothing waits",
    ],
    plant: () => {
      const isHit = everySo(40);
      return committing((commit) => (isHit() ? { ...commit, operations: commit.operations.slice(0, 1) } : commit));
    },
  },
];

function everySo(often: number): () => boolean {
  let count = 0;
  return () => {
    count += 1;
    return count % often === 0;
  };
}

function committing(change: (commit: Commit) => Commit): Plant {
  return {
    ...NOTHING_PLANTED,
    kv: (kv): Kv => ({
      get: (key) => kv.get(key),
      getMany: (keys) => kv.getMany(keys),
      scan: (range) => kv.scan(range),
      count: (range) => kv.count(range),
      commit: (commit) => kv.commit(change(commit)),
      close: () => kv.close(),
    }),
  };
}
