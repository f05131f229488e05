import { type MerchantRole, merchantRoleMay } from "../access/merchant-user-grant.ts";
import type { Locale } from "./account.ts";
import {
  INVITATION_LIFETIME_MS,
  type Invitation,
  isActiveOwner,
  type MemberRecord,
  RESEND_AFTER_MS,
  type TeamRecord,
  USERS_MAX,
} from "./team.ts";

/**
 * Who changes a team: one of its members, the merchant's partner, or an administrator of the
 * installation.
 */
export type TeamActor = { type: "member"; userId: string } | { type: "partner" } | { type: "administrator" };

export type TeamRefusal =
  | "not_found"
  /** The actor's role does not permit it, or it is about the actor itself. */
  | "role"
  /** An owner is active: the partner brings in nobody any more who administers the merchant. */
  | "owner_active"
  | "users_full"
  | "user_exists"
  | "last_owner"
  /** It has not accepted its invitation, so that it can be neither enabled nor disabled. */
  | "invited"
  /** It has accepted its invitation, which is not sent again. */
  | "joined"
  /** It is no longer what the actor saw when it decided. */
  | "stale"
  /** Its invitation was sent a moment ago. */
  | "too_soon";

export type TeamDecision = { type: "changed"; team: TeamRecord; member: MemberRecord } | { type: "refused"; why: TeamRefusal };

export interface NewMember {
  /** The id that it gets if it is new. */
  userId: string;
  /** As `emailOf` gives it. */
  email: string;
  role: MerchantRole;
  locale: Locale;
  tokenSha256: string;
}

export interface MemberChange {
  role?: MerchantRole;
  state?: "ACTIVE" | "DISABLED";
  /** What the actor saw: where the member is something else by now, two have changed it without knowing of each other, and the second is refused. */
  seen?: Pick<MemberRecord, "role" | "state">;
}

/**
 * Invites an address. One that is invited already is refused, unless its invitation has ended: then
 * it is invited again, with the role that it is to have now, so that a team without a member is not
 * closed for ever. Until an owner is active, the partner's invitation of an owner replaces the one
 * that it made before, of the same address too.
 */
export function invite(
  team: TeamRecord,
  actor: TeamActor,
  { userId, email, role, locale, tokenSha256 }: NewMember,
  atMs: number,
): TeamDecision {
  if (!administers(team, actor, role)) return refused(actor.type === "partner" ? "owner_active" : "role");
  const present = team.members.find((member) => member.email === email);
  const invitation: Invitation = {
    ...{ tokenSha256, expiresAtMs: atMs + INVITATION_LIFETIME_MS },
    ...(actor.type === "partner" ? { by: "partner" } : {}),
  };
  const replaces = (member: MemberRecord) => actor.type === "partner" && role === "OWNER" && isPartnersOwner(member);
  const others = team.members.filter((member) => member === present || !replaces(member));
  if (present !== undefined) {
    const isAgain = replaces(present) && atMs >= present.invitedAtMs + RESEND_AFTER_MS;
    if (!isAgain && !hasEnded(team, present, atMs)) return refused("user_exists");
    if (!administers(team, actor, present.role)) return refused("role");
    return replaced({ ...team, members: others }, { ...present, role, locale, invitedAtMs: atMs, invitation }, atMs);
  }
  if (others.length >= USERS_MAX) return refused("users_full");
  // Two members with one id would be taken for each other, by what they may do too.
  if (memberWith(team, userId) !== null) return refused("user_exists");
  const member: MemberRecord = {
    ...{ userId, email, role, state: "INVITED", accountId: null, locale },
    ...{ invitedAtMs: atMs, invitation, joinedAtMs: null },
  };
  return { type: "changed", team: { ...team, members: [...others, member], updatedAtMs: atMs }, member };
}

/** A new invitation in the place of the last one, whose token is dead from now on. */
export function inviteAgain(team: TeamRecord, actor: TeamActor, userId: string, tokenSha256: string, atMs: number): TeamDecision {
  const member = memberWith(team, userId);
  if (member === null) return refused("not_found");
  if (!administers(team, actor, member.role)) return refused("role");
  if (member.state !== "INVITED") return refused("joined");
  if (atMs < member.invitedAtMs + RESEND_AFTER_MS) return refused("too_soon");
  const invitation = { tokenSha256, expiresAtMs: atMs + INVITATION_LIFETIME_MS };
  return replaced(team, { ...member, invitedAtMs: atMs, invitation }, atMs);
}

/** The member whose open invitation has this token; null for one that was used, withdrawn, replaced or has ended. */
export function invitedBy(team: TeamRecord, tokenSha256: string, atMs: number): MemberRecord | null {
  const member = team.members.find(({ invitation }) => invitation?.tokenSha256 === tokenSha256);
  return member === undefined || hasEnded(team, member, atMs) ? null : member;
}

/** The invited person joins with its account. Null where the invitation is not open. */
export function join(
  team: TeamRecord,
  tokenSha256: string,
  accountId: string,
  atMs: number,
): { team: TeamRecord; member: MemberRecord } | null {
  const invited = invitedBy(team, tokenSha256, atMs);
  if (invited === null) return null;
  return replaced(team, { ...invited, state: "ACTIVE", accountId, invitation: null, joinedAtMs: atMs }, atMs);
}

/**
 * Changes what a member is. Nobody changes what it is itself: an owner cannot give the role away by mistake, and nobody can take more. The last owner
 * stays one, whoever asks.
 */
export function changeMember(
  team: TeamRecord,
  actor: TeamActor,
  userId: string,
  { role, state, seen }: MemberChange,
  atMs: number,
): TeamDecision {
  const before = memberWith(team, userId);
  if (before === null) return refused("not_found");
  const after: MemberRecord = { ...before, role: role ?? before.role, state: state ?? before.state };
  const isOwn = actor.type === "member" && actor.userId === userId;
  if (!isOwn && !(administers(team, actor, before.role) && administers(team, actor, after.role))) return refused("role");
  if (after.role === before.role && after.state === before.state) return { type: "changed", team, member: before };
  if (seen !== undefined && (seen.role !== before.role || seen.state !== before.state)) return refused("stale");
  if (isLastOwner(team, before) && !isActiveOwner(after)) return refused("last_owner");
  if (isOwn) return refused("role");
  if (before.state === "INVITED" && after.state !== "INVITED") return refused("invited");
  return replaced(team, after, atMs);
}

/** Removes a member, or withdraws its invitation. Every member may leave, but the last owner. */
export function removeMember(team: TeamRecord, actor: TeamActor, userId: string, atMs: number): TeamDecision {
  const member = memberWith(team, userId);
  if (member === null) return refused("not_found");
  const isOwn = actor.type === "member" && actor.userId === userId;
  if (!isOwn && !administers(team, actor, member.role)) return refused("role");
  if (isLastOwner(team, member)) return refused("last_owner");
  const members = team.members.filter((one) => one.userId !== userId);
  return { type: "changed", team: { ...team, members, updatedAtMs: atMs }, member };
}

/** What the actor is now decides, not what it was when its request was authenticated: two owners that demote each other leave one. */
function administers(team: TeamRecord, actor: TeamActor, role: MerchantRole): boolean {
  if (actor.type === "administrator") return true;
  if (actor.type === "partner") return !hasActiveOwner(team) || !merchantRoleMay(role, "administer users");
  const member = memberWith(team, actor.userId);
  if (member?.state !== "ACTIVE") return false;
  return merchantRoleMay(member.role, role === "OWNER" ? "administer owners" : "administer users");
}

function isLastOwner(team: TeamRecord, member: MemberRecord): boolean {
  return isActiveOwner(member) && team.members.filter(isActiveOwner).length === 1;
}

function hasActiveOwner({ members }: TeamRecord): boolean {
  return members.some(isActiveOwner);
}

/** Somebody whom the partner has invited as an owner, and who has not accepted. */
function isPartnersOwner({ role, state, invitation }: MemberRecord): boolean {
  return role === "OWNER" && state === "INVITED" && invitation?.by === "partner";
}

/**
 * Once an owner is active, nobody becomes one by the partner: its invitation of another owner has
 * ended too.
 */
function hasEnded(team: TeamRecord, member: MemberRecord, atMs: number): boolean {
  if (member.state !== "INVITED") return false;
  if (isPartnersOwner(member) && hasActiveOwner(team)) return true;
  return member.invitation === null || member.invitation.expiresAtMs <= atMs;
}

function memberWith(team: TeamRecord, userId: string): MemberRecord | null {
  return team.members.find((member) => member.userId === userId) ?? null;
}

function replaced(team: TeamRecord, member: MemberRecord, atMs: number) {
  const members = team.members.map((one) => (one.userId === member.userId ? member : one));
  return { type: "changed" as const, team: { ...team, members, updatedAtMs: atMs }, member };
}

function refused(why: TeamRefusal): TeamDecision {
  return { type: "refused", why };
}
