/** A network, compiled. Two with one key are the same. */
export interface AddressRange {
  readonly key: string;
  /** The more, the narrower. */
  readonly bits: number;
  contains(address: string): boolean;
}

/** Compiles an address or a network (CIDR). Throws RelayError `invalid_request` for what is neither. */
export type CompileRange = (cidr: string) => AddressRange;
