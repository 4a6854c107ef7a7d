/**
 * Writes a number with its noun: `1 change`, `2000 changes`.
 *
 * @param noun in the singular
 * @param digits writes the number
 */
export function counted(count: number, noun: string, digits: (count: number) => string = String): string {
  return `${digits(count)} ${noun}${count === 1 ? '' : 's'}`
}
