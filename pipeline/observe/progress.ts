import { counted } from '../../transforms/texts/counted.ts'
import type { Listener, RunEvent } from '../runtime/events.ts'

/** Shortest time between two updates, in milliseconds. */
const TERMINAL_EVERY_MS = 100
const LINES_EVERY_MS = 5_000

type Read = Extract<RunEvent, { type: 'read' }>

type ReadSoFar = Pick<Read, 'records' | 'bytes'> & { readonly sinceMs: number }

export interface ProgressOutput {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly bare?: { write(text: string): unknown }
  write(text: string): unknown
}

/**
 * Shows the progress: a single line that is rewritten on a terminal, plain lines elsewhere.
 *
 * @param now a clock that is never set back, in milliseconds
 */
export function showProgress(output: ProgressOutput, now: () => number): Listener {
  const isTerminal = output.isTTY === true
  const control = output.bare ?? output
  const everyMs = isTerminal ? TERMINAL_EVERY_MS : LINES_EVERY_MS
  const resources = new Map<string, ReadSoFar>()
  let lastShownMs = now()
  let step = ''
  let shown = false

  function clear(): void {
    if (shown) control.write('\r\x1b[K')
    shown = false
  }

  function line(text: string): void {
    clear()
    output.write(`${text}\n`)
  }

  function showReading(integration: string): void {
    const parts = [...resources].map(([resource, count]) => `${resource} ${describe(count, now())}`)
    const text = `${integration}: ${step}: ${parts.join(' · ')}`
    if (isTerminal) {
      control.write('\r\x1b[K')
      output.write(text.slice(0, (output.columns ?? 80) - 1))
      shown = true
    } else {
      line(text)
    }
  }

  function endReading(integration: string): void {
    if (step === 'extract' && resources.size > 0) {
      const total = [...resources.values()].reduce((sum, one) => ({
        records: sum.records + one.records,
        bytes: sum.bytes + one.bytes,
        sinceMs: Math.min(sum.sinceMs, one.sinceMs),
      }))
      line(`${integration}: extract: ${describe(total, now())}`)
    }
    resources.clear()
  }

  function read(integration: string, { resource, records, bytes }: Read): void {
    const nowMs = now()
    const before = resources.get(resource) ?? { records: 0, bytes: 0, sinceMs: nowMs }
    const { sinceMs } = before
    resources.set(resource, { records: before.records + records, bytes: before.bytes + bytes, sinceMs })
    if (nowMs - lastShownMs < everyMs) return
    lastShownMs = nowMs
    showReading(integration)
  }

  return {
    emit(integration, event) {
      switch (event.type) {
        case 'step begun':
          endReading(integration)
          step = event.step
          if (step !== 'extract') line(`${integration}: ${step}`)
          break
        case 'read':
          read(integration, event)
          break
        case 'wait': {
          const seconds = (event.waitMs / 1000).toFixed(1)
          const then = event.isRetry ? 'retrying' : 'going on'
          line(`${integration}: ${event.what}: ${event.cause}; ${then} in ${seconds} s`)
          break
        }
        case 'reading ended': {
          // The total counts each record once. The count so far includes a failed page twice.
          const count = resources.get(event.resource)
          if (count !== undefined) resources.set(event.resource, { ...count, records: event.records })
          break
        }
        case 'reading resumed':
          line(
            `${integration}: ${event.resource}: continues after the ${counted(event.records, 'record')} that an interrupted run had read by ${event.savedAt}`,
          )
          break
        case 'delivery failed':
          line(`${integration}: delivery to ${event.to} failed: ${event.cause}`)
          break
        case 'done':
          clear()
          // Otherwise the counts of a failed step would be shown for the next integration.
          step = ''
      }
    },
  }
}

function describe({ records, bytes, sinceMs }: ReadSoFar, nowMs: number): string {
  const seconds = Math.max(0.001, (nowMs - sinceMs) / 1000)
  const rate = Math.round(records / seconds)
  return `${records} records, ${(bytes / 1_000_000).toFixed(1)} MB, ${rate} records/s`
}
