import type { AlertRefunds, RefundOrder, RefundState } from "../../../engine/alerts/alert-refunds.ts";
import type { DisputeNetwork, NetworkResponse, ResponseState } from "../../../engine/disputes/dispute-network.ts";
import { turns } from "../intents/sim-gateway.ts";
import type { Random } from "../random.ts";

/** Who asks: a process that may be killed while it does, with a clock of its own. */
export interface Asking {
  isDead(): boolean;
  nowMs(): number;
}

const NEVER = <T>() => new Promise<T>(() => undefined);

/** What was asked for once, as it stands with whoever executes it. */
interface Execution {
  /** Asked, and not there yet; then it is one or the other for good. */
  state: "on its way" | "done" | "refused";
  key: string;
}

/**
 * Somebody outside who executes an id once, and is reached over a network on which answers are lost and questions come late. What was begun is known to have been begun (as a link keeps its
 * refunds), so `absent` is said only of what was not.
 */
abstract class SimOutside {
  readonly executions = new Map<string, Execution>();
  /** How likely an answer is lost, or the question comes late. */
  trouble = 0;
  refusals = 0;
  readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  /** How often something was really done for a key, by id. */
  done(key: string): string[] {
    return [...this.executions].filter(([, one]) => one.key === key && one.state === "done").map(([id]) => id);
  }

  /** What is on its way arrives. */
  arrive(): void {
    for (const execution of this.executions.values()) if (execution.state === "on its way") this.#execute(execution);
  }

  async begin(id: string, key: string, asking: Asking): Promise<Execution["state"] | "unknown"> {
    const known = this.executions.get(id);
    if (known !== undefined && known.state !== "refused") return this.#answered(known, asking);
    const execution: Execution = { state: "on its way", key };
    this.executions.set(id, execution);
    await turns(this.random.between(0, 10));
    if (this.random.chance(this.trouble)) return this.#answered(execution, asking, true);
    if (execution.state === "on its way") this.#execute(execution);
    return this.#answered(execution, asking);
  }

  async look(id: string, asking: Asking): Promise<Execution["state"] | "unknown" | "absent"> {
    await turns(this.random.between(0, 10));
    const known = this.executions.get(id);
    return known === undefined ? (this.#isLost(asking) ? "unknown" : "absent") : this.#answered(known, asking);
  }

  async #answered(execution: Execution, asking: Asking, isLost = false): Promise<Execution["state"] | "unknown"> {
    await turns(this.random.between(0, 10));
    if (asking.isDead()) return NEVER();
    return isLost || this.#isLost(asking) || execution.state === "on its way" ? "unknown" : execution.state;
  }

  #isLost(asking: Asking): boolean {
    return asking.isDead() || this.random.chance(this.trouble / 2);
  }

  #execute(execution: Execution): void {
    execution.state = this.refuses(execution.key) || this.random.chance(this.refusals) ? "refused" : "done";
  }

  protected abstract refuses(key: string): boolean;
}

export class SimRefunds extends SimOutside {
  /** Payments that somebody gave back past the alert. */
  readonly otherwise = new Set<string>();
  readonly calls: { order: RefundOrder; atMs: number }[] = [];
  /** What is held in this moment; asked with the beginning in one, as the commit of a link does. */
  isHeld: (uuid: string) => boolean = () => false;

  portOf(asking: Asking): AlertRefunds {
    return {
      refund: async (order) => {
        this.calls.push({ order, atMs: asking.nowMs() });
        await turns(this.random.between(0, 10));
        if (asking.isDead()) return NEVER();
        const known = this.executions.get(order.id);
        if (this.otherwise.has(order.uuid) && known?.state !== "done") return { type: "already_refunded" };
        if (this.isHeld(order.uuid) && (known === undefined || known.state === "refused"))
          return { type: "refused", reason: "under_dispute" };
        return stateOf(await this.begin(order.id, order.uuid, asking));
      },
      verify: async (order) => {
        const state = await this.look(order.id, asking);
        return state === "absent" ? { type: "absent" } : stateOf(state);
      },
    };
  }

  protected refuses(uuid: string): boolean {
    return this.otherwise.has(uuid);
  }
}

function stateOf(state: Execution["state"] | "unknown"): RefundState {
  if (state === "done") return { type: "done" };
  return state === "refused" ? { type: "refused", reason: "gateway" } : { type: "unknown" };
}

export class SimNetwork extends SimOutside {
  readonly calls: { response: NetworkResponse; atMs: number }[] = [];

  portOf(asking: Asking): DisputeNetwork {
    return {
      submit: async (response) => {
        this.calls.push({ response, atMs: asking.nowMs() });
        return responseStateOf(await this.begin(response.submission.id, response.disputeId, asking));
      },
      verify: async ({ submission }) => responseStateOf(await this.look(submission.id, asking)),
    };
  }

  protected refuses(): boolean {
    return false;
  }
}

function responseStateOf(state: Execution["state"] | "unknown" | "absent"): ResponseState {
  if (state === "done") return "taken";
  return state === "on its way" ? "unknown" : state;
}
