import type { Progress } from './observe/told.ts'

/** Shortest time between two signs of life, in milliseconds. */
const TERMINAL_EVERY_MS = 100
const LINES_EVERY_MS = 5_000

interface Counted {
  records: number
  bytes: number
  readonly sinceMs: number
}

/** Where progress is written to, such as standard error. */
export interface ProgressOutput {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/**
 * Shows what happens: one line that is rewritten on a terminal, plain lines elsewhere.
 *
 * @param now milliseconds
 */
export function showProgress(output: ProgressOutput, now: () => number): Progress {
  const isTerminal = output.isTTY === true
  const everyMs = isTerminal ? TERMINAL_EVERY_MS : LINES_EVERY_MS
  const resources = new Map<string, Counted>()
  let lastShownMs = now()
  let step = ''
  let shown = false

  function clear(): void {
    if (shown) output.write('\r\x1b[K')
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
      output.write(`\r\x1b[K${text.slice(0, (output.columns ?? 80) - 1)}`)
      shown = true
    } else {
      line(text)
    }
  }

  function endReading(integration: string): void {
    if (step === 'extract' && resources.size > 0) {
      const total = {
        records: 0,
        bytes: 0,
        sinceMs: Math.min(...[...resources.values()].map((c) => c.sinceMs)),
      }
      for (const { records, bytes } of resources.values()) {
        total.records += records
        total.bytes += bytes
      }
      line(`${integration}: extract: ${describe(total, now())}`)
    }
    resources.clear()
  }

  return {
    ...silentProgress,
    step(integration, name) {
      endReading(integration)
      step = name
      if (name !== 'extract') line(`${integration}: ${name}`)
    },
    read(integration, resource, records, bytes) {
      const nowMs = now()
      let count = resources.get(resource)
      if (count === undefined) {
        count = { records: 0, bytes: 0, sinceMs: nowMs }
        resources.set(resource, count)
      }
      count.records += records
      count.bytes += bytes
      if (nowMs - lastShownMs < everyMs) return
      lastShownMs = nowMs
      showReading(integration)
    },
    wait(integration, { what, cause, waitMs }) {
      line(`${integration}: ${what}: ${cause}; asking again in ${(waitMs / 1000).toFixed(1)} s`)
    },
    resume(integration, resource, records, savedAt) {
      line(
        `${integration}: ${resource}: goes on after ${records} records that a run had read by ${savedAt} when it died`,
      )
    },
    untold(integration, whom, cause) {
      line(`${integration}: ${whom} could not be told: ${cause}`)
    },
    done() {
      clear()
      // What a step that failed had read is not told of the next integration.
      step = ''
    },
  }
}

/** Says nothing. */
export const silentProgress: Progress = {
  opened: () => undefined,
  step: () => undefined,
  stepped: () => undefined,
  resource: () => undefined,
  read: () => undefined,
  certified: () => undefined,
  request: () => undefined,
  wait: () => undefined,
  resume: () => undefined,
  planned: () => undefined,
  batch: () => undefined,
  answered: () => undefined,
  rejected: () => undefined,
  at: () => undefined,
  ended: () => undefined,
  untold: () => undefined,
  done: () => undefined,
  settled: async () => undefined,
}

function describe({ records, bytes, sinceMs }: Counted, nowMs: number): string {
  const seconds = Math.max(0.001, (nowMs - sinceMs) / 1000)
  const rate = Math.round(records / seconds)
  return `${records} records, ${(bytes / 1_000_000).toFixed(1)} MB, ${rate} records/s`
}
