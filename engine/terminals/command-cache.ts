import { isSameUuid } from "../kernel/identifiers.ts";
import type { Stored } from "../kernel/stored.ts";
import type { Actor } from "./actor.ts";
import type { CommandRecord } from "./terminal-record.ts";

/**
 * Terminals whose commands are at hand, in each of two generations. Hundreds of thousands of commands may wait for their terminals or await
 * their results: only those of the latest are worth the memory, and the collector's time.
 * (With 2,048, under load they lived just long enough to be moved to the old generation, which is where they then lay as garbage. With 256 what was held
 * when the heap was collected made that take a tenth longer than with 64, at 7,500 payments a second; with 16 it is not shorter still.)
 */
const GENERATION_MAX = 64;

const NONE: readonly never[] = [];

/**
 * Records of outstanding commands that are at hand because they were accepted or read lately: most are sent, or answered, soon after. Any other
 * one is read from the store when it is needed.
 */
export interface CommandCache {
  /** The record, where it is at hand; `uuid` in capitals or small letters, as anybody writes it. */
  find(actor: Actor, uuid: string): Stored<CommandRecord> | null;
  /** In the place of an earlier version. */
  keep(actor: Actor, record: CommandRecord, version: number): void;
  drop(actor: Actor, uuid: string): void;
}

/** When the young generation is full the old one is evicted, which costs next to nothing on each access. */
export function createCommandCache(generationMax: number = GENERATION_MAX): CommandCache {
  let young: Actor[] = [];
  let old: Actor[] = [];
  let room = generationMax;

  /** What is being worked on stays: a command that was read to be sent is not read once more after it counts as sent. */
  function turnOver(): void {
    const working: Actor[] = [];
    for (const actor of old) {
      if (actor.running) working.push(actor);
      else actor.commands = NONE;
    }
    old = young;
    young = working;
    room = generationMax;
  }

  return {
    find(actor, uuid) {
      let same: Stored<CommandRecord> | null = null;
      for (const stored of actor.commands) {
        if (stored.record.uuid === uuid) return stored;
        if (isSameUuid(stored.record.uuid, uuid)) same = stored;
      }
      return same;
    },
    keep(actor, record, version) {
      if (actor.commands.length > 0) {
        actor.commands = [...without(actor, record.uuid), { record, version }];
        return;
      }
      if (room === 0) turnOver();
      room -= 1;
      young.push(actor);
      actor.commands = [{ record, version }];
    },
    drop(actor, uuid) {
      if (actor.commands.length > 0) actor.commands = without(actor, uuid);
    },
  };
}

function without(actor: Actor, uuid: string): readonly Stored<CommandRecord>[] {
  return actor.commands.filter(({ record }) => record.uuid !== uuid);
}
