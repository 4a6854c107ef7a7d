import stringWidth from 'string-width'
import { EXIT } from '../runtime/report.ts'
import { escaped, visible } from '../runtime/visible.ts'

export interface CommandOutput extends NodeJS.WritableStream {
  readonly isTTY?: boolean
  readonly columns?: number
  /** The output itself, for sequences of our own, such as those that rewrite a line; left out: this is it. */
  readonly bare?: NodeJS.WritableStream
}

/** All that a command has of the process that it runs in. */
export interface CommandIo {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: CommandOutput
  readonly stderr: CommandOutput
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly signals: Signals
  /** Ends the process, since the embedded database neither answers nor works; left out: nobody watches it. */
  readonly onStuck?: (message: string) => void
  /** Aborted where a caller gives the command up. */
  readonly cancelled?: AbortSignal
  /** The configuration itself; left out: it is in its file. */
  readonly configText?: string
}

/** The process itself, with handlers of its signals. Each part is taken when it is needed: opening standard input has effects. */
export function openProcessIo(): CommandIo {
  const signals = takeSignals()
  return {
    get stdin() {
      return process.stdin
    },
    get stdout() {
      return process.stdout
    },
    get stderr() {
      return process.stderr
    },
    get cwd() {
      return process.cwd()
    },
    env: process.env,
    signals,
    onStuck(message) {
      process.stderr.write(`${message}\n`)
      signals.end(EXIT.failed)
    },
  }
}

/** Changes a text that a command prints. */
export type Rewrite = (text: string, to: 'stdout' | 'stderr') => string

/**
 * Returns what a command writes to, with everything that could steer a terminal escaped: all that is printed goes through here.
 *
 * @param rewrite changes a text before it is escaped
 */
export function guarded(io: CommandIo, rewrite: Rewrite = (text) => text): CommandIo {
  // Each part is taken when it is needed.
  return Object.create(io, {
    stdout: { get: () => guardedOutput(io.stdout, (text) => rewrite(text, 'stdout')) },
    stderr: { get: () => guardedOutput(io.stderr, (text) => rewrite(text, 'stderr')) },
  })
}

function guardedOutput(output: CommandOutput, rewrite: (text: string) => string): CommandOutput {
  return new Proxy(output, {
    get(target, key) {
      if (key === 'bare') return target
      if (key === 'write')
        return (text: string | Uint8Array) =>
          target.write(typeof text === 'string' ? escaped(rewrite(text)) : text)
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** Exit codes of a command that a signal ended, as a shell reports them. */
export const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const

/** A terminal and the process that started us may both pass on one and the same Ctrl-C. */
const SAME_SIGNAL_MS = 1_000

type End = (code: number) => void

/** How a command takes part in its process's end. */
export interface Signals {
  /** Lets a command end in its own way at the first signal; a second one ends it at once. */
  onFirst(end: End): void
  /** Ends the process as the first signal does. */
  end(code: number): void
  /** Ends the process with what it has under way. */
  endAtOnce(code: number): void
}

/** A container gives a process without handlers no signal. */
const isFirstOfContainer = process.pid === 1

/**
 * Lets commands end in their own way at a signal. To any other the system puts an end, even in the middle of a query, while a
 * handler waits for the query. What was applied is recorded, and the next run finishes what was not, so this is safe.
 */
function takeSignals(): Signals {
  const endAtOnce: End = (code) => process.exit(code)
  let end = endAtOnce
  let endedAtMs: number | null = null
  let isHandled = false
  function handle(): void {
    if (isHandled) return
    isHandled = true
    for (const [signal, code] of Object.entries(SIGNALS)) {
      process.on(signal, () => {
        const now = performance.now()
        if (endedAtMs !== null && now - endedAtMs < SAME_SIGNAL_MS) return
        const isFirst = endedAtMs === null
        endedAtMs = now
        if (isFirst) end(code)
        else endAtOnce(code)
      })
    }
  }
  if (isFirstOfContainer) handle()
  return {
    onFirst(inOwnWay) {
      end = inOwnWay
      handle()
    },
    end: (code) => end(code),
    endAtOnce,
  }
}

type TableCell = string | number | boolean | null

/** Lays out rows under headings for people; null is an empty cell. Widths are those of a terminal, where 水 takes two columns. */
export function toTable(columns: readonly string[], rows: readonly (readonly TableCell[])[]): string {
  return openTable(columns)(rows)
}

/** Lays out rows page by page. Widths are those of the first page; a later cell that is longer pushes its line to the right. */
export function openTable(columns: readonly string[]) {
  let widths: readonly number[] | null = null
  return (rows: readonly (readonly TableCell[])[]): string => {
    const cells = rows.map((row) => row.map((cell) => (cell === null ? '' : visible(String(cell)))))
    const isFirst = widths === null
    widths ??= columns.map((column, at) =>
      Math.max(stringWidth(column), ...cells.map((row) => stringWidth(row[at] ?? ''))),
    )
    const sizes = widths
    const line = (row: readonly string[]) =>
      row
        .map((cell, at) => cell + ' '.repeat(Math.max(0, (sizes[at] ?? 0) - stringWidth(cell))))
        .join('  ')
        .trimEnd()
    const heading = isFirst ? [line(columns), sizes.map((size) => '-'.repeat(size)).join('  ')] : []
    return [...heading, ...cells.map(line)].map((text) => `${text}\n`).join('')
  }
}
