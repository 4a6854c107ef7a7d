/**
 * Returns a number with its noun, for example `1 change` or `2000 changes`.
 *
 * @param noun the noun in the singular
 * @param digits function that formats the number
 */
export function counted(count: number, noun: string, digits: (count: number) => string = String): string {
  return `${digits(count)} ${noun}${count === 1 ? '' : 's'}`
}
