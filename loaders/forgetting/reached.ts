/** What of a person was found and erased: rows by the place where they stood. */
export interface Reached {
  add(place: string, rows: number | bigint): void
  /** A pack of that run holds the person. */
  run(runId: string): void
  /** Packs of the runs from one up to, not including, another do; null: up to the last. */
  span(fromRun: string, toRun: string | null): void
  /** A record of others has the address of the person in a text, which is not ours to change. */
  mention(): void
  readonly mentions: number
  readonly places: ReadonlyMap<string, number>
  readonly runs: ReadonlySet<string>
  readonly spans: readonly { readonly from: string; readonly to: string | null }[]
}

export function makeReached(): Reached {
  const places = new Map<string, number>()
  const runs = new Set<string>()
  let mentions = 0
  const spans = new Map<string, { readonly from: string; readonly to: string | null }>()
  return {
    add(place, rows) {
      if (Number(rows) > 0) places.set(place, (places.get(place) ?? 0) + Number(rows))
    },
    run: (runId) => void runs.add(runId),
    span: (from, to) => void spans.set(`${from} ${to}`, { from, to }),
    mention() {
      mentions += 1
    },
    get mentions() {
      return mentions
    },
    places,
    runs,
    get spans() {
      return [...spans.values()]
    },
  }
}
