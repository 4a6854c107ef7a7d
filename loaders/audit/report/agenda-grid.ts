import type { Day, Slot } from './agenda-days.ts'

export interface Cell {
  readonly slots: readonly Slot[]
  /** Rows that it takes; what overlaps in one room shares a cell. */
  readonly rows: number
}

const EMPTY: Cell = { slots: [], rows: 1 }

/** Lays a day out: a column for each room, a row for each time at which something begins. */
export function toGrid({ slots }: Day) {
  const starts = [...new Set(slots.map(({ start }) => start))].sort((one, other) => one - other)
  const byRoom = Map.groupBy(slots, ({ item }) => item.location)
  const withoutRoom = Map.groupBy(byRoom.get(null) ?? [], ({ start }) => start)
  const rooms = [...byRoom.keys()].filter((room) => room !== null).sort()
  const columns = rooms.map((room) => toColumn(byRoom.get(room) ?? [], starts))
  return {
    rooms,
    rows: starts.map((start, row) => ({
      start,
      // Null where a cell from above is still there.
      cells: columns.map((column) => column[row] ?? null),
      withoutRoom: withoutRoom.get(start) ?? [],
    })),
    hasItemsWithoutRoom: withoutRoom.size > 0,
  }
}

/** Cells of one room, one for each row. @param slots by their start */
function toColumn(slots: readonly Slot[], starts: readonly number[]): readonly (Cell | null)[] {
  const column: (Cell | null)[] = starts.map(() => EMPTY)
  let next = 0
  for (let row = 0; row < starts.length; ) {
    const cluster: Slot[] = []
    let end = starts[row] ?? 0
    for (let slot = slots[next]; slot !== undefined; slot = slots[next]) {
      const begins = cluster.length === 0 ? slot.start === starts[row] : slot.start < end
      if (!begins) break
      cluster.push(slot)
      end = Math.max(end, slot.end)
      next += 1
    }
    let rows = 1
    while (row + rows < starts.length && (starts[row + rows] ?? end) < end) rows += 1
    column[row] = { slots: cluster, rows }
    column.fill(null, row + 1, row + rows)
    row += rows
  }
  return column
}
