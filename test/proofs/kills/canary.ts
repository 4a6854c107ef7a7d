import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The beginning of all random passwords in these tests. The text is so long that it does not occur elsewhere
 * by chance.
 */
const CANARY = 'Q7xKp'
/** The indexes of the letters of `CANARY` in the alphabet for passwords. */
const INDEXES = [36, 47, 20, 31, 12]
const ALPHABET = 'abcdefghjkmnpqrstuvwxyzACDEFGHJKLMNPQRTUVWXY34679'

/**
 * All passwords that attendees can get in these tests. The last letter is random, so two passwords are rarely
 * equal.
 */
export const PASSWORDS: readonly string[] = [...ALPHABET].map((last) => CANARY + last)

/**
 * Replaces the product's random numbers for passwords, so that the product makes only passwords of this file.
 */
export function canaryIndexes(draw: (limit: number) => number): (limit: number) => number {
  let drawn = 0
  return (limit) => {
    const index = INDEXES[drawn % (INDEXES.length + 1)]
    drawn += 1
    return index ?? draw(limit)
  }
}

/** Lists the files below a folder that contain a password. */
export function leaksIn(path: string): readonly string[] {
  if (statSync(path).isDirectory()) return readdirSync(path).flatMap((name) => leaksIn(join(path, name)))
  return readFileSync(path, 'utf8').includes(CANARY) ? [`a password is in ${path}`] : []
}

export function hasLeaked(text: string): boolean {
  return text.includes(CANARY)
}
