import { counted } from '../../transforms/texts/counted.ts'
import { duration } from '../runtime/duration.ts'
import type { Listener, RunEvent } from '../runtime/events.ts'
import type { LiveLines } from './live-lines.ts'

/** Minimum time between two updates that are caused by events, in milliseconds. */
const UPDATE_EVERY_MS = 100
/** Time between two updates if no event comes. The displayed time of a long step then still advances. */
const TICK_MS = 1_000

export interface Clock {
  /** Returns the milliseconds of a clock that is never set back. */
  now(): number
  /** Does work repeatedly, at the given interval. @returns a function that ends the repetition */
  every(ms: number, work: () => void): () => void
}

/** The step that an integration is doing now. */
interface StepUnderWay {
  /** Text such as `summit: [3/7] transform`. */
  readonly title: string
  readonly sinceMs: number
  readonly resources: Map<string, ReadSoFar>
}

interface ReadSoFar {
  /** Records and bytes that this process has read. */
  readonly records: number
  readonly bytes: number
  /** Number of records that an interrupted run had already read. */
  readonly earlier: number
  /** Number of records that the source states; null if it has stated no number. */
  readonly declared: number | null
  readonly sinceMs: number
  /** Time at which the reading ended; null if it has not ended yet. */
  readonly endedMs: number | null
}

/**
 * Shows progress on a terminal: the current steps, the resources that are being read, and a line for each
 * step that has ended. Without a terminal, it writes only what a person may need later, such as waits.
 *
 * @param live lines that are rewritten in place; null without a terminal
 */
export function showProgress(
  output: { write(text: string): unknown },
  live: LiveLines | null,
  clock: Clock,
): Listener {
  const steps = new Map<string, StepUnderWay>()
  let stopTicking: (() => void) | null = null
  let shownMs = Number.NEGATIVE_INFINITY

  function show(): void {
    if (live === null) return
    if (steps.size === 0) {
      stopTicking?.()
      stopTicking = null
      live.erase()
      return
    }
    stopTicking ??= clock.every(TICK_MS, show)
    shownMs = clock.now()
    live.show([...steps.values()].flatMap((step) => linesOf(step, shownMs)))
  }

  function line(text: string): void {
    live?.erase()
    output.write(`${text}\n`)
    show()
  }

  function begin(integration: string, { step, place }: Extract<RunEvent, { type: 'step begun' }>): void {
    const title = `${integration}: [${place.number}/${place.of}] ${step}`
    steps.set(integration, { title, sinceMs: clock.now(), resources: new Map() })
    show()
  }

  function end(integration: string, { ms, errorType }: Extract<RunEvent, { type: 'step ended' }>): void {
    const step = steps.get(integration)
    steps.delete(integration)
    if (step === undefined || live === null) return
    const read = step.resources.size === 0 ? '' : `: ${describeTotal([...step.resources.values()], ms)}`
    line(`${step.title} ${duration(ms)}${errorType === null ? read : ', failed'}`)
  }

  /** Changes the counts of a resource that is being read. */
  function count(integration: string, resource: string, change: (before: ReadSoFar) => ReadSoFar): void {
    const step = steps.get(integration)
    if (step === undefined) return
    step.resources.set(resource, change(step.resources.get(resource) ?? { ...NOTHING, sinceMs: clock.now() }))
    if (clock.now() - shownMs >= UPDATE_EVERY_MS) show()
  }

  return {
    emit(integration, event) {
      switch (event.type) {
        case 'step begun':
          begin(integration, event)
          break
        case 'step ended':
          end(integration, event)
          break
        case 'read':
          count(integration, event.resource, (before) => ({
            ...before,
            records: before.records + event.records,
            bytes: before.bytes + event.bytes,
            declared: event.declared ?? before.declared,
          }))
          break
        case 'reading ended':
          // The final number of records counts each record once. If a page failed and was read again, the
          // number until now counts its records twice.
          count(integration, event.resource, (before) => ({
            ...before,
            records: Math.max(0, event.records - before.earlier),
            declared: event.declared ?? before.declared,
            endedMs: clock.now(),
          }))
          break
        case 'reading resumed':
          count(integration, event.resource, (before) => ({ ...before, earlier: event.records }))
          line(
            `${integration}: ${event.resource}: continues after the ${counted(event.records, 'record')} that an interrupted run had read by ${event.savedAt}`,
          )
          break
        case 'wait': {
          const seconds = (event.waitMs / 1000).toFixed(1)
          const then = event.isRetry ? 'retrying' : 'going on'
          line(`${integration}: ${event.what}: ${event.cause}; ${then} in ${seconds} s`)
          break
        }
        case 'delivery failed':
          line(`${integration}: delivery to ${event.to} failed: ${event.cause}`)
          break
        case 'done':
          if (steps.delete(integration)) show()
      }
    },
  }
}

const NOTHING = { records: 0, bytes: 0, earlier: 0, declared: null, endedMs: null } as const

function linesOf({ title, sinceMs, resources }: StepUnderWay, nowMs: number): readonly string[] {
  const width = Math.max(0, ...Array.from(resources.keys(), (name) => name.length))
  const lines = Array.from(
    resources,
    ([name, read]) => `  ${name.padEnd(width)}  ${describeReading(read, nowMs)}`,
  )
  return [`${title} ${duration(nowMs - sinceMs)}`, ...lines]
}

function describeReading(read: ReadSoFar, nowMs: number): string {
  const { records, earlier, declared, sinceMs, endedMs } = read
  const all = records + earlier
  // Some sources state only the size of the current page. More records have then been read than stated, so no
  // percentage is shown.
  const share =
    declared === null || declared < Math.max(all, 1)
      ? ''
      : `, ${Math.floor((100 * all) / declared)} % of ${declared}`
  return `${counted(all, 'record')}, ${rate(records, (endedMs ?? nowMs) - sinceMs)}${share}`
}

function describeTotal(all: readonly ReadSoFar[], ms: number): string {
  const records = all.reduce((sum, one) => sum + one.records, 0)
  const bytes = all.reduce((sum, one) => sum + one.bytes, 0)
  return `${counted(records, 'record')}, ${(bytes / 1_000_000).toFixed(1)} MB, ${rate(records, ms)}`
}

function rate(records: number, ms: number): string {
  return `${Math.round(records / Math.max(0.001, ms / 1000))} records/s`
}
