/** A kind of failure that the simulation has found, and seeds that showed it. */
export interface FailedSeeds {
  reason: string;
  seeds: readonly number[];
}

/** Every seed that ever failed. A landing plays the first seed of each kind, the nightly run plays all. */
export const FAILED_SEEDS: readonly FailedSeeds[] = [
  {
    reason: "a home with an old actor stored a result: the command was done, sent 0 times, and unknown five minutes later",
    seeds: [5290, 1205, 2636, 5912, 3224, 1269],
  },
  { reason: "the same without its end, a status of an older command, and a cancel that was answered 500", seeds: [4110, 808] },
  { reason: "a home with an old actor showed a command that had left as queued", seeds: [8235, 584057951, 584058266] },
  { reason: "a command that a declared session had not acknowledged was given to another session", seeds: [2549, 8313, 5304, 9573] },
  { reason: "a command that a declared session had not acknowledged was shown as queued again", seeds: [3529, 2697] },
  { reason: "a home with an old actor showed such a command as queued", seeds: [701438] },
  { reason: "a restored store handed out a command that had left", seeds: [6240, 2065] },
  { reason: "a restored store ended a command as expired that had left", seeds: [8757, 4827] },
  { reason: "a restored store did not know a result that the feed held", seeds: [6821, 6350] },
  { reason: "a restored store handed out a command that was on its way when the store was restored", seeds: [934830] },
  { reason: "a restored store gave a session a command again that had come back and gone to another device", seeds: [700101827] },
  { reason: "a poll whose asker had gone took a command", seeds: [464] },
  { reason: "a poll whose asker had gone took a command while files were held up", seeds: [107] },
  { reason: "a result with the uuid in capitals was taken for another command's", seeds: [10474] },
  { reason: "a cancel at a home with an old actor was answered 500", seeds: [10192, 9708] },
  { reason: "a home answered with a status from its memory after another shard had executed a step as its fallback", seeds: [9986] },
  { reason: "a home answered with an older command from such a memory", seeds: [2057] },
  { reason: "after a clock was stepped back every step that hands something out came too late for the store", seeds: [5304] },
  { reason: "a node whose membership had just expired took a session for gone that it had forgotten", seeds: [585382060] },
  { reason: "a node that had just joined took a session for gone that it had not been told of", seeds: [700145] },
  { reason: "a node that had slept took sessions for gone before it knew that its membership had expired", seeds: [702064, 701369] },
  { reason: "a node that did not see yet that another one was back took a session there for gone", seeds: [826914001] },
  { reason: "a session that an earlier home could not be told of failed the report to its next home", seeds: [701813] },
  { reason: "a node that had been away answered a poll from before", seeds: [363] },
  { reason: "a NACK that came twice returned a command that had been sent again since", seeds: [911550] },
  { reason: "the simulation was wrong: a command that no device had got was put back, since its session had gone", seeds: [587291709] },
  { reason: "the simulation was wrong: attempts before and after a restore were put in one order", seeds: [614592806] },
  { reason: "the simulation was wrong: another terminal's result passed for what the feed held of the command", seeds: [614500823] },
];
