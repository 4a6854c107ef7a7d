import { describe, expect, test } from 'vitest'
import { placesOf } from '../../../transforms/plan/address-moves.ts'

/** Reads changes of attendees from a text: `1: a -> b` updates, `2: a ->` removes, and `3: -> b` creates. */
function movesOf(text: string) {
  return text.split('; ').map((one) => {
    const [, seq = '', before = '', after = ''] = /^(\d+): ?(\S*) -> ?(\S*)$/.exec(one) ?? []
    const action =
      after === '' ? ('remove' as const) : before === '' ? ('create' as const) : ('update' as const)
    return { seq: Number(seq), uniqueId: seq, action, before: before || null, after: after || null }
  })
}

/**
 * Returns the order of sending: `free 4` is a removal that is sent first, and `2+1` are upserts that are sent
 * together in this order.
 */
function orderOf(text: string): string {
  const moves = movesOf(text)
  const places = placesOf(
    moves.filter(({ before }) => before !== null),
    moves.filter(({ after }) => after !== null),
  )
  const groups = Map.groupBy(places, ({ phase, together }) => (phase === 'freeing' ? phase : together))
  return [...groups]
    .map(([key, members]) =>
      key === 'freeing'
        ? `free ${members.map(({ seq }) => seq).join(' ')}`
        : members.map(({ seq }) => seq).join('+'),
    )
    .join(', ')
}

describe('an address is freed before another attendee takes it', () => {
  test.each([
    ['nobody takes an address that is given up', '1: a -> b; 2: c ->; 3: -> d', ''],
    ['cancelled and booked again', '1: -> a; 2: a ->', 'free 2'],
    ['two people exchange addresses', '1: a -> b; 2: b -> a', '2+1'],
    ['three in a circle', '1: a -> b; 2: b -> c; 3: c -> a', '3+2+1'],
    ['a chain to a new address', '1: a -> b; 2: b -> c; 3: c -> d', '3+2+1'],
    ['a chain that a removal begins', '1: a -> b; 2: b -> c; 3: c ->', 'free 3, 2+1'],
    ['a new attendee takes the address of one who moves', '1: -> a; 2: a -> b', '2+1'],
    ['two new ones take the same address', '1: a -> b; 2: -> a; 3: -> a', '1+2+3'],
    ['two pairs', '1: a -> b; 2: c -> d; 3: b -> a; 4: d -> c', '3+1, 4+2'],
    ['the address is written otherwise', '1: Ann@X.example -> b; 2: -> ANN@x.example', '1+2'],
    ['the domain is in punycode', '1: ann@müller.example ->; 2: -> ann@xn--mller-kva.example', 'free 1'],
    ['an attendee writes the own address otherwise', '1: Ann@X.example -> ann@x.example', ''],
    ['an address that its holder keeps', '1: a -> A; 2: -> a', ''],
    ['removed and taken by an update', '1: a -> b; 2: b ->', 'free 2'],
  ])('%s', (_, moves, due) => {
    expect(orderOf(moves)).toBe(due)
  })

  test('a chain of 20,000 changes of addresses is ordered quickly', () => {
    const chain = Array.from({ length: 20_000 }, (_, place) => `${place + 1}: a${place} -> a${place + 1}`)
    expect(orderOf(chain.join('; '))).toMatch(/^20000\+19999\+.*\+2\+1$/)
  })
})
