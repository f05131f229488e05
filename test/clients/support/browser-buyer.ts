import type { Page } from "playwright-core";

/** A buyer with a browser, in the place of `payOnHostedPage`. */
export function buyerWith(page: Page): (url: string, card: string, returnUrl: string) => Promise<string> {
  return async (url, card, returnUrl) => {
    const shop = new URL(returnUrl);
    await page.goto(url);
    if (card === "cancel") {
      await page.click('button[value="cancel"]');
    } else {
      await page.fill("#number", card);
      await page.fill("#expiry", "12/39");
      await page.fill("#code", "123");
      await page.fill("#holder", "Ada Buyer");
      await page.click('button[value="pay"]');
    }
    await page.waitForURL(({ origin, pathname }) => origin === shop.origin && pathname === shop.pathname);
    return page.url();
  };
}
