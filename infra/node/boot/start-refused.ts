/** The node cannot start, for a reason that an operator can fix. */
export class StartRefused extends Error {
  /** A later attempt may succeed without anybody's doing. */
  readonly mayPass: boolean;

  constructor(reason: string, { mayPass = false } = {}) {
    super(reason);
    this.name = "StartRefused";
    this.mayPass = mayPass;
  }
}
