/** Where it is kept how many calls of the Partner API each partner has made. Rejects with RelayError `unavailable`. */
export interface CallCountStore {
  load(partnerId: number): Promise<number>;
  /** Adds to what is stored, whoever else adds at the same time. After a rejection it is not known whether it was added. */
  add(partnerId: number, calls: number): Promise<void>;
}
