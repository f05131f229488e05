import { request } from "node:http";

/** Every buyer of this machine has an address of their own, as the relay counts the calls of an address. */
let buyers = 0;

/** From the shop to our page, to the gateway's, to ours, and back to the shop, with room for one more. */
const REDIRECTS_MAX = 8;

/** What is typed into the page beside the number. */
const BUYER = { expiry: "12/39", code: "123", holder: "Ada Buyer" };

/**
 * A buyer without a browser: follows `url` to the hosted page, sends its form with the card (`cancel` presses Cancel), and follows the way back until it leaves
 * for `returnUrl`. Resolves with the address that the buyer arrives at; rejects where the way ends elsewhere.
 */
export async function payOnHostedPage(url: string, card: string, returnUrl: string): Promise<string> {
  const shop = new URL(returnUrl);
  buyers += 1;
  const address = `127.9.${(buyers >> 8) & 255}.${buyers & 255}`;
  let at = url;
  let form: string | null = null;
  for (let turn = 0; turn < REDIRECTS_MAX; turn += 1) {
    const here = new URL(at);
    if (here.origin === shop.origin && here.pathname === shop.pathname) return at;
    const answer = await ask(form === null ? "GET" : "POST", at, form, address);
    if (answer.location !== null) {
      at = new URL(answer.location, at).href;
      form = null;
    } else if (form === null && /<form[^>]*id="payment"/.test(answer.text)) {
      form = new URLSearchParams(card === "cancel" ? { action: "cancel" } : { action: "pay", number: card, ...BUYER }).toString();
    } else {
      throw new Error(`the way ends at ${here.pathname} with status ${answer.status}`);
    }
  }
  throw new Error(`more than ${REDIRECTS_MAX} redirects`);
}

/** `fetch` does not tell where a redirect leads, if it is not to follow it. */
function ask(
  method: string,
  url: string,
  form: string | null,
  address: string,
): Promise<{ status: number; location: string | null; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = form === null ? {} : { "content-type": "application/x-www-form-urlencoded" };
    const localAddress = new URL(url).hostname.startsWith("127.") ? { localAddress: address } : {};
    const call = request(url, { method, headers, timeout: 20_000, ...localAddress }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.once("error", reject);
      answer.once("end", () => {
        const { statusCode: status = 0, headers } = answer;
        resolve({ status, location: headers.location ?? null, text: Buffer.concat(chunks).toString("utf8") });
      });
    });
    call.once("timeout", () => call.destroy(new Error(`no answer from ${url}`)));
    call.once("error", reject);
    call.end(form ?? undefined);
  });
}
