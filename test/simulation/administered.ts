import { createDirectoryStore } from "../../engine/access/directory-store.ts";
import { compileTopicAccess } from "../../engine/access/topic-access.ts";
import type { TerminalGroup } from "../../engine/settings/terminal-groups.ts";
import { createRecordStore, TERMINAL_GROUPS } from "../../engine/tables/record-store.ts";
import { createPatternCompiler } from "../../http/auth/pattern.ts";
import type { DeviceSpec, Plan } from "./plan.ts";
import { AtOnceKv } from "./world/at-once-kv.ts";
import type { SimStore } from "./world/sim-store.ts";

/** Stores the rules and the group of a plan, as an administrator did long ago. */
export async function administer(store: SimStore, { rules, group }: Plan): Promise<void> {
  const kv = new AtOnceKv(store);
  const directory = createDirectoryStore(kv);
  for (const rule of rules) await directory.saveRule(rule);
  if (group === null) return;
  const { managers, members } = group;
  await createRecordStore<TerminalGroup>(kv, TERMINAL_GROUPS).save("shop", {
    schema: 1,
    name: "shop",
    terminalIds: members,
    managerTerminalIds: managers,
    enabled: true,
    notes: null,
    updatedAtMs: 0,
  });
}

/** Who may take which terminal's commands, by what was administered. */
export function mayTakeOf({ rules, group }: Plan): (device: DeviceSpec, terminalId: string) => boolean {
  const topicAccess = compileTopicAccess(rules, createPatternCompiler());
  return ({ login, topics }, terminalId) => {
    // Under the shared credential a session is the terminal whose topic it takes first, and a poll may be for any.
    if (login === null) return topics[0] === undefined || topics[0].terminalId === terminalId;
    if (topicAccess.mayTake(login, terminalId)) return true;
    return group?.managers.includes(login) === true && group.members.includes(terminalId);
  };
}
