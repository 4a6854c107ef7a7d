import { editDistance } from './edit-distance.ts'

/**
 * Returns the word that the user probably meant. The two words differ by at most one edit for every three
 * letters.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const [best] = candidates
    .map((candidate) => ({ candidate, edits: editDistance(simplified(word), simplified(candidate)) }))
    .filter(({ candidate, edits }) => edits <= Math.max(1, Math.floor(candidate.length / 3)))
    .toSorted((a, b) => a.edits - b.edits)
  return best?.candidate
}

/** Removes differences that people confuse: `event_id`, `event-id` and `EventID` become the same word. */
function simplified(word: string): string {
  return word.toLowerCase().replaceAll(/[-_]/g, '')
}
