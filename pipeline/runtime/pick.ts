/** The named members of an object, in this order. */
export function pick<Of extends object, Key extends keyof Of>(from: Of, ...keys: readonly Key[]) {
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<Of, Key>
}
