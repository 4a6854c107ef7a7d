import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** How random passwords begin in these tests: long enough to stand nowhere else by chance. */
const CANARY = 'Q7xKp'
/** Of its letters in the alphabet of passwords. */
const INDEXES = [36, 47, 20, 31, 12]
const ALPHABET = 'abcdefghjkmnpqrstuvwxyzACDEFGHJKLMNPQRTUVWXY34679'

/** All passwords that attendees can have here. The last letter is drawn, so that two draws are seldom the same. */
export const PASSWORDS: readonly string[] = [...ALPHABET].map((last) => CANARY + last)

/** Draws numbers so that passwords are those of this file. */
export function canaryIndexes(draw: (limit: number) => number): (limit: number) => number {
  let drawn = 0
  return (limit) => {
    const index = INDEXES[drawn % (INDEXES.length + 1)]
    drawn += 1
    return index ?? draw(limit)
  }
}

/** Names the files below a folder in which a password stands. */
export function leaksIn(path: string): readonly string[] {
  if (statSync(path).isDirectory()) return readdirSync(path).flatMap((name) => leaksIn(join(path, name)))
  return readFileSync(path, 'utf8').includes(CANARY) ? [`a password is in ${path}`] : []
}

export function hasLeaked(text: string): boolean {
  return text.includes(CANARY)
}
