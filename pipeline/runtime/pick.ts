/** Returns an object that has only the named members, in the given order. */
export function pick<Of extends object, Key extends keyof Of>(from: Of, ...keys: readonly Key[]) {
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<Of, Key>
}
