/** One buyer needs two a minute, and a page that waits one every two seconds; a shop's customers share an address at times. */
export const BUYER_PAGE_RATE = { bucket: "buyer-page", perSecond: 20 } as const;
