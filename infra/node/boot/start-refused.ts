/** The node cannot start, for a reason that an operator can fix. */
export class StartRefused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "StartRefused";
  }
}
