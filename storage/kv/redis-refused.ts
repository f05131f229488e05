/** This Redis could lose acknowledged commits, and the store is configured to refuse that. */
export class RedisRefused extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`this Redis cannot hold the relay's state: ${problems.join("; ")}`);
    this.name = "RedisRefused";
    this.problems = problems;
  }
}
