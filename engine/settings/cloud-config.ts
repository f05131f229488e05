/** Cloud configurations of one installation: one a terminal at most, all in the memory of each shard. */
export const CLOUD_CONFIGS_MAX = 200_000;

/** The operator's own words for a merchant or a group: visible ASCII with spaces inside, short enough for a key. */
export const CONFIG_NAME_LENGTH_MAX = 64;
export const CONFIG_NAME_PATTERN = "^[\\x21-\\x7e](?:[\\x20-\\x7e]*[\\x21-\\x7e])?$";

/** What is administered of one terminal (`/admin/cloud-configs`). */
export interface CloudConfig {
  readonly schema: number;
  readonly terminalId: string;
  /** The merchant that it belongs to: whose its payments are, shown on its transactions, and whose partner its links run for. */
  readonly merchantId: string | null;
  /** A name to deploy and report by. */
  readonly group: string | null;
  /** Decides how tags are sent to it; wins over what the device tells of itself. */
  readonly family: string | null;
  /** ISO 4217 code of the only currency that it takes payments in. Absent: payments in any currency are sent to it, as they name it. */
  readonly currency?: string;
  /** Sent to the terminal when it connects and when they change; what they mean is the terminal app's. */
  readonly settings: { readonly [name: string]: string | number | boolean | null };
  readonly updatedAtMs: number;
}
