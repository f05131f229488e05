/** The acceptance of the merchant portal: a real node, and a real browser. Run by run.ts, which builds the node and prints the list. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe } from "node:test";
import type { Answer } from "../support/http/http-client.ts";
import { textMember } from "../support/http/matches.ts";
import { administration } from "./administration.ts";
import { agents, agentsIn } from "./agents.ts";
import { alerts } from "./alerts.ts";
import { analytics } from "./analytics.ts";
import { branding } from "./branding.ts";
import { attention } from "./attention.ts";
import { comfort } from "./comfort.ts";
import { complaintsIn, disputes } from "./disputes.ts";
import { entry } from "./entry.ts";
import { exports } from "./exports.ts";
import { faults, nothingElse } from "./faults.ts";
import { firstLoad } from "./first-load.ts";
import { keptWork } from "./kept-work.ts";
import { linkIn, links, linksInStates } from "./links.ts";
import { lists } from "./lists.ts";
import { logs } from "./logs.ts";
import { mcp } from "./mcp.ts";
import { methods } from "./methods.ts";
import { operators } from "./operators.ts";
import { type FurnishedShop, pages } from "./pages.ts";
import { card, pay, payDays } from "./payments.ts";
import { addressOf, joined } from "./people.ts";
import { newShop, PortalWorld } from "./portal-world.ts";
import { readings } from "./readings.ts";
import { reasons } from "./reasons.ts";
import { closedDayOf, reconciliation } from "./reconciliation.ts";
import { search } from "./search.ts";
import { subscriptionsBegun, subscriptionsInStates } from "./subscription-pages.ts";
import { subscriptions } from "./subscriptions.ts";
import { team } from "./team.ts";
import { webhooks } from "./webhooks.ts";

/** A day more than a week, so that the overview has what it compares with. */
const PAST_MS = 8 * 86_400_000;

describe("the merchant portal", () => {
  const world = new PortalWorld();
  let furnished: FurnishedShop | null = null;

  before(async () => {
    await world.start(PAST_MS);
    furnished = await furnish(world);
  });
  afterEach(() => world.visitors.leave());
  after(() => world.stop());

  entry(world);
  firstLoad(world);
  team(world);
  comfort(world);
  keptWork(world);
  readings(world);
  lists(world);
  analytics(world);
  links(world);
  disputes(world);
  alerts(world);
  subscriptions(world);
  webhooks(world);
  agents(world);
  mcp(world);
  methods(world);
  branding(world);
  operators(world);
  administration(world);
  search(world);
  reasons(world);
  attention(world);
  pages(world, () => furnished ?? assert.fail("there is no furnished shop"));
  // From here on whole days pass, in which subscriptions of the furnished shop come to their ends.
  exports(world);
  faults(world);
  logs(world);
  reconciliation(world);
  nothingElse(world);
});

/** A shop with the payments of the last days, of now, and of this hour a week ago, whatever the time of day is. */
async function furnish(world: PortalWorld): Promise<FurnishedShop> {
  const { relay } = world;
  const shop = await newShop(relay, "Caffè Pasticceria del Duomo di Milano", 3);
  const [one = "", two = ""] = shop.terminalIds;
  const expired = await linkIn(relay, shop, { description: "A ticket", expiresInHours: 1 });
  const begun = await subscriptionsBegun(relay, shop);
  const untilMs = relay.nowMs() + PAST_MS;
  const weekAgoMs = untilMs - 7 * 86_400_000;
  await payDays(relay, [one, two], { fromMs: relay.nowMs(), untilMs: weekAgoMs });
  await pay(relay, card(one, 2_340));
  await payDays(relay, [one, two], { fromMs: weekAgoMs, untilMs });
  await pay(relay, card(two, 1_005), { message: "A rather long message of the acquirer, which has no room in a narrow column" });
  const uuid = await pay(relay, card(one, 12_480));
  // Nobody asked for this one.
  const posted = await relay.fleet().receipt(two, { uuid: relay.uuid(), result: "OK", service: "PAYCC", amount: 990 });
  assert.equal(posted.status, 200, posted.text);
  const email = addressOf(relay, "olga");
  await shop.invite(email);
  const owner = await joined(relay, email);
  const invited = addressOf(relay, "a-colleague-with-quite-a-long-name");
  const added = await owner.send("POST", "/webhooks", {
    url: "http://127.0.0.1:1/hooks/of-a-shop-with-quite-a-long-address",
    events: ["*"],
  });
  const sent: readonly (readonly [Answer, number])[] = [
    [added, 201],
    [await owner.send("POST", "/users", { email: invited, role: "VIEWER", locale: "en" }), 201],
    [await owner.send("PUT", "/payment-methods/PAYPAL", { mode: "sandbox", clientId: "shop", clientSecret: "secret-of-the-shop" }), 200],
  ];
  for (const [{ status, text }, expected] of sent) assert.equal(status, expected, text);
  const webhookId = textMember(added.body, "data", "endpoint", "id");
  const links: FurnishedShop["links"] = { expired, ...(await linksInStates(world, shop)) };
  const complaints = await complaintsIn(relay, shop, { uuid, linkUuid: `${links["paid"]?.id}.1` });
  const subscribed = await subscriptionsInStates(relay, shop, begun);
  const agentIds = await agentsIn(relay, shop);
  const closedDay = await closedDayOf(relay, shop);
  return { shop, owner, invited, uuid, webhookId, complaints, links, subscribed, agentIds, closedDay };
}
