/** An address as mailers take it, without name and comments: no space, no control character, nothing that could begin another header. */
const ADDRESS = /^[!#-'*+\-/-9=?A-Z^-~.]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,186}[A-Za-z0-9])?$/;
const ADDRESS_LENGTH_MAX = 254;

/** Whether mail can be addressed so. */
export function isMailAddress(address: string): boolean {
  return address.length <= ADDRESS_LENGTH_MAX && ADDRESS.test(address);
}
