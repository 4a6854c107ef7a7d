import type { Content } from '../../sql/tables.ts'

/** What of a person was found and erased: rows by the place where they stood. */
export type ErasureLog = ReturnType<typeof makeErasureLog>

/** Texts that the record of an item lost, in all its versions. */
interface Loss {
  readonly content: Content
  readonly id: string
  readonly texts: ReadonlySet<string>
}

export function makeErasureLog() {
  const places = new Map<string, number>()
  const runs = new Set<string>()
  const found = new Set<string>()
  const losses = new Map<string, Loss>()
  const spans = new Map<string, { readonly from: string; readonly to: string | null }>()
  function add(place: string, rows: number | bigint): void {
    if (Number(rows) > 0) places.set(place, (places.get(place) ?? 0) + Number(rows))
  }
  const log = {
    add,
    mentions: 0,
    idMentions: 0,
    /** One row, which counts once however often it is found. */
    row(place: string, key: readonly unknown[]): void {
      const one = JSON.stringify([place, key])
      if (found.has(one)) return
      found.add(one)
      add(place, 1)
    },
    run: (runId: string) => void runs.add(runId),
    /** Packs of the runs from one up to, not including, another hold the person; null: up to the last. */
    span: (from: string, to: string | null) => void spans.set(`${from} ${to}`, { from, to }),
    /** A record of others has the address of the person in a text, which is not ours to change. */
    noteFreeTextMention(): void {
      log.mentions += 1
    },
    /** A record of others has an id of the person where a source is not known to name people. */
    idMention(): void {
      log.idMentions += 1
    },
    lost(content: Content, id: string, texts: ReadonlySet<string>): void {
      const key = `${content} ${id}`
      const before = losses.get(key)?.texts ?? []
      losses.set(key, { content, id, texts: new Set([...before, ...texts]) })
    },
    get losses(): readonly Loss[] {
      return [...losses.values()]
    },
    places: places as ReadonlyMap<string, number>,
    runs: runs as ReadonlySet<string>,
    get spans() {
      return [...spans.values()]
    },
  }
  return log
}
