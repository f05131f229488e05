import { Type } from "@sinclair/typebox";
import type { IntentRecord } from "../../../engine/intents/intent.ts";
import type { ChargeOf, RefundOf } from "../../../engine/intents/intents.ts";
import { latestCharge } from "./objects.ts";
import type { CompatOperations } from "./operations.ts";
import { type Field, list } from "./params.ts";
import { invalidParam } from "./platform-error.ts";

type Expandable = "payment_intent" | "charge" | "refund" | "nothing";

/** What members of each object may be expanded to. `stays`: there is nothing behind it here, and it stays as it is (null). */
const MEMBERS: Readonly<Record<Expandable, { readonly [member: string]: Expandable | "stays" }>> = {
  payment_intent: { latest_charge: "charge", customer: "stays", payment_method: "stays" },
  charge: { payment_intent: "payment_intent", customer: "stays", balance_transaction: "stays" },
  refund: { payment_intent: "payment_intent", charge: "charge", customer: "stays", balance_transaction: "stays" },
  nothing: {},
};

/** Part of the interface: levels of one path, `data` of a list among them. */
export const EXPAND_DEPTH_MAX = 4;
const PATHS_MAX = 20;

/** Which members of an object are replaced by the objects that they name, and which of those. */
export interface Expansion {
  readonly [member: string]: Expansion;
}

const EXPAND_DESCRIPTION = `Members that the response contains as whole objects instead of ids: ${PATHS_MAX} paths of at most ${EXPAND_DEPTH_MAX} levels, such as \`latest_charge\`, or \`data.latest_charge\` in a list. \`customer\`, \`payment_method\` and \`balance_transaction\` are accepted and do not change; the relay rejects any other.`;

const paths = list(EXPAND_DESCRIPTION, {
  itemsMax: PATHS_MAX,
  item: (value, param) => {
    if (typeof value === "string") return value;
    throw invalidParam(param, `Invalid string for ${param}.`);
  },
});

export const EXPAND: Field<readonly string[] | undefined> = {
  ...paths,
  schema: { ...paths.schema, title: "CompatExpand", parameterName: "CompatExpand" },
  read: (value, param) => paths.read(value === "" || value === null ? [""] : value, param),
};

/** The same for webhook endpoints: there are clients that register theirs with an empty one. Nothing of an endpoint can be expanded. */
export const EXPAND_OR_EMPTY: Field<readonly string[] | undefined> = {
  ...paths,
  schema: { ...paths.schema, items: Type.String() },
  read: (value, param) => {
    const given = Array.isArray(value) ? value.filter((one) => one !== "" && one !== null) : value;
    return paths.read(given, param);
  },
};

/** Reads the paths for one object, or for a list of them. Throws PlatformError for a path that cannot be expanded. */
export function readExpansion(paths: readonly string[] | undefined, of: Expandable, inList: boolean): Expansion {
  const root: Mutable = {};
  for (const path of paths ?? []) {
    const words = path.split(".");
    if (words.length > EXPAND_DEPTH_MAX) {
      throw invalidParam("expand", `You cannot expand more than ${EXPAND_DEPTH_MAX} levels of a property.`);
    }
    const members = inList ? words.slice(1) : words;
    if ((inList && words[0] !== "data") || members.length === 0) throw cannotExpand(path);
    let object: Expandable = of;
    let place = root;
    members.forEach((member, index) => {
      const leadsTo = memberOf(object, member);
      if (leadsTo === undefined || (leadsTo === "stays" && index < members.length - 1)) throw cannotExpand(path);
      if (leadsTo === "stays") return;
      object = leadsTo;
      place = place[member] ??= {};
    });
  }
  return root;
}

interface Mutable {
  [member: string]: Mutable;
}

function memberOf(object: Expandable, member: string): Expandable | "stays" | undefined {
  return Object.hasOwn(MEMBERS[object], member) ? MEMBERS[object][member] : undefined;
}

function cannotExpand(path: string) {
  const quoted = /^[a-z_.]{1,80}$/.test(path) ? ` (${path})` : "";
  return invalidParam("expand", `This property cannot be expanded${quoted}.`);
}

/** Objects with their expanded members. Each rejects with RelayError `unavailable` when the store cannot answer. */
export interface Expanding {
  intent(record: IntentRecord, expansion: Expansion): Promise<object>;
  charge(charge: ChargeOf, expansion: Expansion): Promise<object>;
  refund(refund: RefundOf, expansion: Expansion): Promise<object>;
}

/** Whatever may be expanded is in the record that the object is made from. Only whether a charge is disputed is read beside it. */
export function expandingOf({
  compatObjects: objects,
  isUnderDispute,
}: Pick<CompatOperations, "compatObjects" | "isUnderDispute">): Expanding {
  async function intent(record: IntentRecord, { latest_charge }: Expansion): Promise<object> {
    const object = objects.intent(record);
    const attempt = latest_charge === undefined ? null : latestCharge(record);
    if (latest_charge === undefined || attempt === null) return object;
    return { ...object, latest_charge: await charge({ intent: record, attempt }, latest_charge) };
  }
  async function charge({ intent: record, attempt }: ChargeOf, { payment_intent }: Expansion): Promise<object> {
    const { merchantId } = record;
    const isDisputed = attempt.state === "paid" && (await isUnderDispute({ merchantId, uuid: attempt.txId }));
    const object = objects.charge({ intent: record, attempt, isDisputed });
    return payment_intent === undefined ? object : { ...object, payment_intent: await intent(record, payment_intent) };
  }
  async function refund(of: RefundOf, expansion: Expansion): Promise<object> {
    return {
      ...objects.refund(of),
      ...(expansion["payment_intent"] === undefined ? {} : { payment_intent: await intent(of.intent, expansion["payment_intent"]) }),
      ...(expansion["charge"] === undefined ? {} : { charge: await charge(of, expansion["charge"]) }),
    };
  }
  return { intent, charge, refund };
}
