import { type SourceAData, startSampleSourceA } from './sample-source/a.ts'
import { type SourceBData, startSampleSourceB } from './sample-source/b.ts'

/**
 * Records by resource. The name of a resource may have any spelling; a resource that is left out has no
 * records.
 */
export type Resources = Readonly<Record<string, readonly unknown[]>>

/** A sample source on loopback whose records a test can replace. */
export interface ServedResources {
  readonly url: string
  hold(records: Resources): void
  close(): Promise<void>
}

const A = ['Sessions', 'TimeSlots', 'Rooms', 'Tracks', 'SessionTypes', 'Users']
const B = ['sessions', 'registrants', 'regTypes']

/**
 * Practically no rate limit: Source B counts requests in real time, and a test sends many requests within a
 * short time.
 */
const NO_BUDGET = { creditsPerTenMinutes: Number.MAX_SAFE_INTEGER }

/** @param pageCap maximum number of elements in one answer; default: the maximum of the source */
export async function serveRecords(
  type: 'a' | 'b',
  records: Resources,
  pageCap?: number,
): Promise<ServedResources> {
  const options = pageCap === undefined ? {} : { pageCap }
  if (type === 'a') {
    const dataOf = (given: Resources) => inAll(A, given) as unknown as SourceAData
    const { url, close, setData } = await startSampleSourceA(dataOf(records), options)
    return { url, close, hold: (given) => setData(dataOf(given)) }
  }
  const dataOf = (given: Resources) => inAll(B, given) as unknown as SourceBData
  const { url, close, setData } = await startSampleSourceB(dataOf(records), { ...options, ...NO_BUDGET })
  return { url, close, hold: (given) => setData(dataOf(given)) }
}

const spelling = (name: string) => name.replaceAll('_', '').toLowerCase()

function inAll(names: readonly string[], records: Resources): Resources {
  const given = new Map(Object.entries(records).map(([name, list]) => [spelling(name), list]))
  const all = Object.fromEntries(
    names.map((name) => {
      const list = given.get(spelling(name)) ?? []
      given.delete(spelling(name))
      return [name, list]
    }),
  )
  if (given.size > 0) throw new Error(`no resource of this source: ${[...given.keys()]}`)
  return all
}
