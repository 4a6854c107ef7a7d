import { setTimeout as sleep } from 'node:timers/promises'
import { serve } from '../../harness/loopback.ts'
import type { Reply } from '../../harness/reply.ts'
import type { IdAnswer } from '../../harness/source-answers.ts'
import { pageOf, skipOf } from '../../harness/source-answers.ts'
import { type Asked, type SourceServer, startSource, TOKEN } from '../../harness/source-server.ts'
import { PATHS, type SourceType, type State } from './event.ts'
import { type Fault, heldOfA, heldOfB, PAGE_CAP } from './fault.ts'
import { expectedAt } from './table.ts'

/**
 * A fault, the place (resource or token endpoint) at which the source has the fault, and the first page with
 * the fault.
 */
export interface Cast {
  readonly fault: Fault
  readonly place: string
  readonly fromPage: number
}

/** A source on loopback that serves given records and can be told to have faults. */
export interface FaultServer extends Pick<SourceServer, 'url' | 'strayed' | 'comeBack' | 'close'> {
  readonly casts: readonly Cast[]
  /** Sets the clock by which the source's tokens expire to the clock of the run. */
  setClock(now: () => number): void
  /** Returns how many requests were answered with the fault. */
  playsOf(cast: Cast): number
  /**
   * Sets the records and faults for the next run, resets the counts, and closes the connections of the run
   * before. Listens again if a fault stopped the server.
   */
  reset(state: State, casts: readonly Cast[]): Promise<void>
}

/** Maximum wait in milliseconds. A tenth of this time is shorter than each timeout in the table of faults. */
const LONGEST_WAIT_MS = 1000

/** Starts a source, and a second host that only reports requests, because it should get none. */
export async function startFaultServer(type: SourceType, ids: IdAnswer = 'answered'): Promise<FaultServer> {
  const plays = new Map<Cast, number>()
  const source = await startSource()
  const elsewhere = await serve((request, response) => {
    source.strayed.push(`another host: ${request.url}`)
    response.end('[]')
  })
  let lists: State = {}
  let casts: readonly Cast[] = []

  async function play({ resource, url, response, honest }: Asked): Promise<Reply> {
    const [place = TOKEN] = Object.entries(PATHS[type]).find(([, path]) => path === resource) ?? []
    const page =
      place === TOKEN ? 1 : type === 'b' ? pageOf(url) : 1 + Math.ceil(skipOf(url) / (PAGE_CAP - 1))
    const cast = casts.find(
      (each) =>
        each.place === place && page >= each.fromPage && (each.fault.plays === 'always' || !plays.has(each)),
    )
    if (cast === undefined) return honest
    const played = plays.get(cast) ?? 0
    plays.set(cast, played + 1)
    const common = { type, url, outside: elsewhere.url, nowMs: source.now() }
    const reply = cast.fault.play(honest, { ...common, list: lists[place] ?? [], plays: played })
    response.once('close', () => {
      // If the reader closed the connection before the first byte, it has not noticed the fault.
      if (cast.fault.plays === 'once' && reply.delivery === 'whole' && !response.headersSent)
        plays.delete(cast)
    })
    await untilAllAreOn(cast)
    return reply
  }

  /**
   * Waits a moment until the other faults have occurred too, because the first fault that makes the run fail
   * ends the run.
   */
  async function untilAllAreOn({ fault, place }: Cast): Promise<void> {
    if (place === TOKEN || expectedAt(fault, type, place) !== 'failed') return
    const isPressed = casts.some((each) => each.fault.http.timeoutSeconds !== undefined)
    const untilMs = performance.now() + (isPressed ? LONGEST_WAIT_MS / 10 : LONGEST_WAIT_MS)
    while (casts.some((each) => !plays.has(each)) && performance.now() < untilMs) await sleep(5)
  }

  return {
    url: source.url,
    strayed: source.strayed,
    comeBack: source.comeBack,
    get casts() {
      return casts
    },
    setClock(now) {
      source.now = now
    },
    playsOf: (cast) => plays.get(cast) ?? 0,
    async reset(state, next) {
      source.goAway()
      await source.comeBack()
      source.strayed.length = 0
      plays.clear()
      casts = next
      lists = Object.fromEntries(
        Object.entries(state).map(([name, list]) => {
          const here = next.filter(({ place }) => place === name)
          return [name, here.reduce((records, { fault }) => fault.records?.(records, type) ?? records, list)]
        }),
      )
      const held = <Wire>(hold: (list: State[string]) => Wire) =>
        Object.fromEntries(Object.entries(lists).map(([name, list]) => [PATHS[type][name] ?? '', hold(list)]))
      const served =
        type === 'a'
          ? { type, resources: held(heldOfA) }
          : { type, resources: held((list: State[string]) => heldOfB(list ?? [], { ids })) }
      source.serve(served, play)
    },
    async close() {
      await Promise.all([source.close(), elsewhere.close()])
    },
  }
}
