/** Compiles addresses and networks (CIDR) to a check of a client's address. Throws RelayError `invalid_request` naming one that is neither. */
export interface AddressLists {
  /** An empty list lets everyone in. */
  compile(entries: readonly string[]): (ipAddress: string) => boolean;
}
