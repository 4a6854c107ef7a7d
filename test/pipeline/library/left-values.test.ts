import { describe, expect, test } from 'vitest'
import { findLeftValue } from '../../../pipeline/library/left-values.ts'

const values = [
  ['email', 'ada@engines.example'],
  ['city', 'Vienna'],
] as const

const people = (doc: unknown) => ({ name: 'staging.fair_guests', isOfPeople: true, rows: [{ doc }] })
const talks = (doc: unknown) => ({ name: 'staging.fair_talks', isOfPeople: false, rows: [{ doc }] })

describe('values that are left of a forgotten person', () => {
  test.each([
    [
      "staging.fair_guests.doc.mail still has the value of the person's column email; a forgotten person is recognised by the id and the address",
      people({ mail: 'Ada <ada@engines.example>' }),
    ],
    [
      "staging.fair_talks.doc.speakers[1].city still has the value of the person's column city; if both only happen to be equal",
      talks({ speakers: [{}, { city: 'Vienna' }] }),
    ],
  ])('a failure names the place, the column and what to do: %s', (message, place) => {
    const found = findLeftValue(values, [people({ mail: null }), place])
    expect(found).toContain(message)
    for (const [, value] of values) expect(found).not.toContain(value)
  })

  test('a longer text of another record is not a value of the person', () => {
    expect(
      findLeftValue(values, [talks({ zone: 'Europe/Vienna', contact: 'new-ada@engines.example' })]),
    ).toBeNull()
  })
})
