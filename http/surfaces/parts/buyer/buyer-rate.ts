/**
 * One buyer needs two requests a minute, and a waiting page one every two seconds. Customers of one
 * shop may share an address.
 */
export const BUYER_PAGE_RATE = { bucket: "buyer-page", perSecond: 20 } as const;
