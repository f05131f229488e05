import type { Caller } from "../../../engine/access/caller.ts";
import type { Users } from "../../../engine/accounts/users.ts";
import type { PortalLinkCreator } from "../../../engine/portal-links/portal-link.ts";
import { maskedEmail } from "../masked-email.ts";
import { maySeePersonalData } from "./personal-data.ts";
import type { PaymentLinkJson } from "./schemas.ts";
import { merchantOf } from "./surface.ts";

export type Creators = (creator: PortalLinkCreator) => Pick<PaymentLinkJson, "createdBy" | "creator">;

/** Who made some things of a merchant. The team is looked up once, and only where a person made one of them. */
export async function creatorsOf(
  users: Pick<Users, "list">,
  caller: Caller,
  things: readonly { readonly createdBy: PortalLinkCreator }[],
): Promise<Creators> {
  const byPeople = things.some(({ createdBy }) => createdBy.type === "user");
  const team = byPeople ? await users.list(merchantOf(caller)) : [];
  const emails = new Map(team.map(({ userId, email }) => [userId, email]));
  const maySee = maySeePersonalData(caller);
  const ownId = caller.type === "merchantUser" ? caller.user.userId : null;
  return (creator) => {
    switch (creator.type) {
      case "key":
        return { creator: "key", createdBy: "API key" };
      case "agent":
        return { creator: "agent", createdBy: "AI agent" };
      case "user": {
        const email = emails.get(creator.userId);
        if (email === undefined) return { creator: "former_user", createdBy: "Former user" };
        return { creator: "user", createdBy: maySee || creator.userId === ownId ? email : maskedEmail(email) };
      }
    }
  };
}
