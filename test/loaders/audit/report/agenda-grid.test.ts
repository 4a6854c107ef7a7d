import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Day, toGrid } from '../../../../loaders/audit/report/agenda.ts'
import { ITEM } from './sample.ts'

type Planned = readonly [name: string, location: string | null, start: number, end: number]

function dayOf(planned: readonly Planned[]): Day {
  const slots = planned.map(([name, location, start, end]) => {
    return { item: { ...ITEM, name, location }, timeZone: null, start, end }
  })
  return { wallMs: 0, slots: slots.toSorted((one, other) => one.start - other.start) }
}

/** A row: start, then a cell of each room as `names*rows`, `|` where one from above is still there. */
function drawn(planned: readonly Planned[]): readonly string[] {
  const { rooms, rows } = toGrid(dayOf(planned))
  const lines = rows.map(({ start, cells, withoutRoom }) => {
    const drawnCells = cells.map((cell) =>
      cell === null
        ? '|'
        : `${cell.slots.map(({ item }) => item.name).join('+') || '-'}${cell.rows > 1 ? `*${cell.rows}` : ''}`,
    )
    return [start, ...drawnCells, ...withoutRoom.map(({ item }) => `(${item.name})`)].join(' ')
  })
  return [rooms.join(' '), ...lines]
}

test('what goes on while something else begins takes the rows down to its end', () => {
  expect(
    drawn([
      ['long', 'A', 540, 660],
      ['one', 'B', 540, 570],
      ['two', 'B', 600, 630],
      ['after', 'A', 660, 700],
    ]),
  ).toEqual(['A B', '540 long*2 one', '600 | two', '660 after -'])
})

test('what overlaps in one room shares a cell, also through a third', () => {
  expect(
    drawn([
      ['a', 'A', 540, 600],
      ['b', 'A', 570, 620],
      ['c', 'A', 610, 640],
      ['d', 'A', 640, 650],
    ]),
  ).toEqual(['A', '540 a+b+c*3', '570 |', '610 |', '640 d'])
})

test('items without a location stand beside the rooms, at their start', () => {
  expect(
    drawn([
      ['a', 'A', 540, 600],
      ['x', null, 540, 700],
      ['y', null, 560, 570],
    ]),
  ).toEqual(['A', '540 a*2 (x)', '560 | (y)'])
  expect(toGrid(dayOf([['a', 'A', 540, 600]])).hasItemsWithoutRoom).toBe(false)
})

test('rooms are in byte order', () => {
  expect(
    drawn([
      ['a', 'é', 540, 600],
      ['b', 'Z', 540, 600],
      ['c', 'a', 540, 600],
    ])[0],
  ).toBe('Z a é')
})

test('whatever is planned, each item stands once, and each row has a cell of each room or one from above', () => {
  const planned = fc.tuple(
    fc.string({ maxLength: 3 }),
    fc.constantFrom('A', 'B', 'C', null),
    fc.integer({ min: 0, max: 40 }),
    fc.integer({ min: 1, max: 30 }),
  )
  fc.assert(
    fc.property(fc.array(planned, { maxLength: 40 }), (all) => {
      const day = dayOf(all.map(([name, room, start, length]) => [name, room, start, start + length]))
      const { rooms, rows } = toGrid(day)
      const placed = rows.flatMap(({ cells, withoutRoom }) => [
        ...cells.flatMap((cell) => cell?.slots ?? []),
        ...withoutRoom,
      ])
      expect(new Set(placed).size).toBe(day.slots.length)
      expect(placed.length).toBe(day.slots.length)
      rooms.forEach((_, room) => {
        const column = rows.map(({ cells }) => cells[room])
        let covered = 0
        for (const cell of column) {
          expect(cell === null).toBe(covered > 0)
          covered = (cell === null || cell === undefined ? covered : cell.rows) - 1
        }
        expect(covered).toBe(rows.length === 0 ? covered : 0)
      })
    }),
  )
})
