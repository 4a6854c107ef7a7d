/** Returns an object with only the named members, in this order. */
export function pick<Of extends object, Key extends keyof Of>(from: Of, ...keys: readonly Key[]) {
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<Of, Key>
}
