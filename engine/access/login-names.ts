/**
 * The key that whoever has a user name holds in the store. Administrators and partners log in by the same header, so their names are unique
 * among all of them, regardless of case: a name is taken in the commit that stores its owner, which fails where the key is there.
 */
export function loginNameKey(username: string): string {
  return `nu/username/${username.toLowerCase()}`;
}
