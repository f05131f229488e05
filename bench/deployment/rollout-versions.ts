import { type ListedVersion, type RolloutAdmin, RolloutRefused } from "./rollout-admin.ts";

/** Version codes of a run are at least this: higher than an app has, and those of the relay's other versions are left alone. */
const VERSION_CODE_FROM = 2_000_000_000;

const NOTES = "A roll-out of npm run load, which deletes it at its end.";

/** The app versions that a run has with the relay: all whose names begin with its prefix. With a version the relay deletes its package and its deployments. */
export class RolloutVersions {
  readonly #admin: RolloutAdmin;
  readonly #prefix: string;
  readonly #made: ListedVersion[] = [];
  /** Something may be there, whether its making was answered or not. */
  #isBegun = false;

  constructor(admin: RolloutAdmin, prefix: string) {
    this.#admin = admin;
    this.#prefix = prefix;
  }

  /** Each has a higher code than the one before. */
  async create(name: string): Promise<ListedVersion> {
    this.#isBegun = true;
    const version = await this.#admin.create(this.#prefix + name, VERSION_CODE_FROM, NOTES);
    this.#made.push(version);
    return version;
  }

  get made(): readonly ListedVersion[] {
    return this.#made;
  }

  /** Deletes them. Answers with what is left, in words; it may be called again. */
  async takeBack(): Promise<string[]> {
    if (!this.#isBegun) return [];
    try {
      const ids = (await this.#ofRun()).map(({ id }) => id);
      for (const id of ids) await this.#admin.remove(id);
      const versions = (await this.#ofRun()).map(({ id }) => `app version ${id} is still there`);
      const deployments = (await this.#admin.deployments(ids)).map(({ id }) => `app deployment ${id} is still there`);
      this.#isBegun = false;
      return [...versions, ...deployments];
    } catch (error) {
      if (!(error instanceof RolloutRefused)) throw error;
      return [`app versions whose names begin with ${this.#prefix} have to be deleted: ${error.message}`];
    }
  }

  /** The latest first: once it is gone, the earlier one is what its terminals are offered. */
  async #ofRun(): Promise<ListedVersion[]> {
    const all = await this.#admin.versions();
    return all.filter(({ versionName }) => versionName.startsWith(this.#prefix)).sort((one, other) => other.versionCode - one.versionCode);
  }
}
