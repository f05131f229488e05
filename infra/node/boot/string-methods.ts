/**
 * Lets V8 inline the methods of strings in this thread. A class that extends String (ioredis has one) turns String's prototype into a
 * dictionary, from which no method is inlined; V8 makes it fast again, permanently, when a String object is iterated, but not when plain
 * strings are used. To be called after the packages are loaded.
 */
export function keepStringMethodsFast(): void {
  for (const index in Object("")) throw new Error(`an empty string has an index ${index}`);
}
