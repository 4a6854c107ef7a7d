import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { engines } from '../support/engines.ts'
import { useDatabase } from '../support/use-database.ts'

describe.each(engines)('sync.fold_case, on %s', (engine) => {
  const database = useDatabase(engine)
  async function fold(text: string, times = 1): Promise<string> {
    const { rows } = await sql<{
      text: string
    }>`select sync.fold_case(repeat(${text}, ${sql.lit(times)})) as text`.execute(database().kysely)
    return rows[0]?.text ?? ''
  }
  /** All letters in the Unicode version of this Node, which may differ from the database's version. */
  const LETTERS = Array.from({ length: 0x1ffff }, (_, at) => at + 1)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code))
    .filter((letter) => /\p{L}|\p{N}|\p{S}/u.test(letter))

  test('each letter is mapped to a form that JavaScript matches without regard to case, and each form to itself', async () => {
    const folded = [...(await fold(LETTERS.join('')))]
    expect(folded).toHaveLength(LETTERS.length)
    const other = LETTERS.flatMap((letter, at) => {
      const form = folded[at] ?? ''
      return form === letter ? [] : [[letter, form] as const]
    })
    expect(other.length).toBeGreaterThan(1400)
    // JavaScript's regular expressions with the flags `iu` use the same table of upper and lower case.
    expect(other.filter(([letter, form]) => !new RegExp(`^${form}$`, 'iu').test(letter))).toEqual([])
    const forms = other.map(([, form]) => form).join('')
    expect(await fold(forms)).toBe(forms)
    for (const [letter, form] of other.slice(0, 300)) expect(await fold(letter)).toBe(form)
  })
})
