import type { Day, Slot } from './agenda-days.ts'

/** A cell of a grid: what takes place in a room from a row on. */
export interface Cell {
  readonly slots: readonly Slot[]
  /** Rows that it takes; what overlaps in one room shares a cell. */
  readonly rows: number
}

/** A day as rooms beside each other and times below each other. */
export interface Grid {
  /** In byte order. */
  readonly rooms: readonly string[]
  readonly rows: readonly GridRow[]
  readonly hasItemsWithoutRoom: boolean
}

export interface GridRow {
  /** Minutes since midnight. */
  readonly start: number
  /** One of each room; null where a cell from above is still there. */
  readonly cells: readonly (Cell | null)[]
  /** What begins then and has no location. */
  readonly withoutRoom: readonly Slot[]
}

const EMPTY: Cell = { slots: [], rows: 1 }

/** Lays a day out: a row for each time at which something begins. */
export function toGrid({ slots }: Day): Grid {
  const starts = [...new Set(slots.map(({ start }) => start))].sort((one, other) => one - other)
  const byRoom = new Map<string, Slot[]>()
  const withoutRoom = new Map<number, Slot[]>()
  for (const slot of slots) {
    if (slot.item.location === null) push(withoutRoom, slot.start, slot)
    else push(byRoom, slot.item.location, slot)
  }
  const rooms = [...byRoom.keys()].sort()
  const columns = rooms.map((room) => toColumn(byRoom.get(room) ?? [], starts))
  return {
    rooms,
    rows: starts.map((start, row) => ({
      start,
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

function push<Key>(groups: Map<Key, Slot[]>, key: Key, slot: Slot): void {
  const group = groups.get(key)
  if (group === undefined) groups.set(key, [slot])
  else group.push(slot)
}
