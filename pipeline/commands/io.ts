import stringWidth from 'string-width'
import { type LiveLines, liveLines } from '../observe/live-lines.ts'
import { EXIT } from '../runtime/report.ts'
import { startersOf, whenEnded } from '../runtime/starter.ts'
import { escaped, visible } from '../runtime/visible.ts'

export interface CommandOutput extends NodeJS.WritableStream {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
  /**
   * A stream to the same place, but without escaping. Commands write their own control sequences to the
   * stream without escaping, for example to rewrite a line. If the stream is undefined, this output does not
   * escape anything.
   */
  readonly bare?: NodeJS.WritableStream
}

/** The streams, signals, environment and folder of the process, which a command uses. */
export interface CommandIo {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: CommandOutput
  readonly stderr: CommandOutput
  /**
   * Lines at the bottom of the terminal that show progress and are rewritten in place. The progress lines are
   * erased before other text is written. The value is undefined if standard error is not a terminal.
   */
  readonly live?: LiveLines | undefined
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly signals: Signals
  /**
   * Ends the process if the embedded database does not answer and does no work. If this function is
   * undefined, nothing watches the database.
   */
  readonly onStuck?: (message: string) => void
  /** Aborted if the caller cancels the command. */
  readonly cancelled?: AbortSignal
  /** Text of the configuration. If undefined, the configuration is read from its file. */
  readonly configText?: string
}

/**
 * Returns the streams and signals of this process. Each stream is opened only at its first use, because
 * opening standard input has side effects.
 */
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

/** A function that changes a text before a command prints it. */
export type Rewrite = (text: string, to: 'stdout' | 'stderr') => string

/**
 * Returns outputs that escape every character that could control a terminal. All text that a command prints
 * goes through these outputs.
 *
 * @param rewrite changes a text before it is escaped
 */
export function guarded(io: CommandIo, rewrite: Rewrite = (text) => text): CommandIo {
  let live: LiveLines | undefined
  const print = (text: string, to: 'stdout' | 'stderr') => {
    // Standard output and standard error may be the same terminal, so both erase the progress lines.
    live?.erase()
    return rewrite(text, to)
  }
  const openLive = () => {
    if (io.stderr.isTTY === true) live ??= liveLines(io.stderr)
    return live
  }
  // Getters open each stream only at its first use.
  return Object.create(io, {
    stdout: { get: () => guardedOutput(io.stdout, (text) => print(text, 'stdout')) },
    stderr: { get: () => guardedOutput(io.stderr, (text) => print(text, 'stderr')) },
    live: { get: openLive },
  })
}

function guardedOutput(output: CommandOutput, rewrite: (text: string) => string): CommandOutput {
  return replacing(output, {
    bare: output,
    write: (text: string | Uint8Array) =>
      output.write(typeof text === 'string' ? escaped(rewrite(text)) : text),
  })
}

/** Returns an output with some of its members replaced. */
export function replacing(output: CommandOutput, members: Partial<CommandOutput>): CommandOutput {
  return new Proxy(output, {
    get(target, key) {
      if (key in members) return Reflect.get(members, key)
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** Exit code of a command that a signal ended. The exit code is the code that a shell reports. */
export const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const

/**
 * A second signal within this time is treated as a repetition of the first signal. If a user presses Ctrl-C
 * once, both the terminal and the parent process may send the signal.
 */
const SAME_SIGNAL_MS = 1_000

type End = (code: number) => void

/** How a command changes what signals do. */
export interface Signals {
  /**
   * Sets what the command does at the first signal, such as Ctrl-C. A second signal ends the process at once.
   */
  onFirst(end: End): void
  /**
   * Sets what the command does at SIGHUP. At a terminal nothing is set, because SIGHUP then means that the
   * terminal was closed.
   */
  onHangup(work: () => void): void
  /** Calls a function if the process that started the command has ended. */
  onOrphaned(work: () => void): void
  /** Ends the process as the first signal, such as Ctrl-C, would. */
  end(code: number): void
  /** Ends the process at once and abandons the work that is under way. */
  endAtOnce(code: number): void
}

/**
 * True in a container whose first process is this process: process 1 ignores signals for which it has no
 * handler.
 */
const isFirstOfContainer = process.pid === 1

/**
 * Lets a command choose what the first signal does. If the process has no handler, the system ends it
 * immediately, even during a query. A signal handler would run only after the query. An abrupt end is safe:
 * applied changes are recorded, and the next run applies the remaining changes.
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
  const { launcher, starter } = startersOf(process)
  // The launcher passes signals on, but cannot pass on SIGKILL.
  if (launcher !== null) whenEnded(launcher, () => end(SIGNALS.SIGTERM))
  return {
    onFirst(inOwnWay) {
      end = inOwnWay
      handle()
    },
    onHangup(work) {
      if (!process.stdin.isTTY) process.on('SIGHUP', work)
    },
    onOrphaned: (work) => whenEnded(starter, work),
    end: (code) => end(code),
    endAtOnce,
  }
}

/** A text with colour codes, whose width was measured without them. */
interface PaintedCell {
  readonly text: string
  paint(text: string): string
}

type TableCell = string | number | boolean | null | PaintedCell

/** Maximum length of a line in a table with columns that may be cut. */
const LONGEST_LINE = 120
/** Minimum width of a column: a narrower column is not cut. */
const NARROWEST = 12

/**
 * Formats rows under headings as a table for people. The cell of a null value is empty. Widths are measured
 * as on a terminal, where 水 takes two columns.
 *
 * @param cut names of columns that may be cut if lines are too long; the first name is cut first
 */
export function toTable(
  columns: readonly string[],
  rows: readonly (readonly TableCell[])[],
  cut: readonly string[] = [],
): string {
  return openTable(columns, cut)(rows)
}

/**
 * Formats a table page by page, for a large result. The first page determines the column widths. A longer
 * cell on a later page shifts the rest of its line to the right.
 */
export function openTable(columns: readonly string[], cut: readonly string[] = []) {
  let widths: readonly number[] | null = null
  return (rows: readonly (readonly TableCell[])[]): string => {
    const cells = rows.map((row) => row.map(toPainted))
    const isFirst = widths === null
    widths ??= narrowed(
      columns,
      cut,
      columns.map((column, at) =>
        Math.max(stringWidth(column), ...cells.map((row) => stringWidth(row[at]?.text ?? ''))),
      ),
    )
    const sizes = widths
    const line = (row: readonly PaintedCell[]) =>
      row
        .map(({ text, paint }, at) => {
          const size = sizes[at] ?? 0
          const shown = cut.includes(columns[at] ?? '') ? shortened(text, size) : text
          return paint(shown) + ' '.repeat(Math.max(0, size - stringWidth(shown)))
        })
        .join('  ')
        .trimEnd()
    const heading = isFirst
      ? [line(columns.map(toPainted)), sizes.map((size) => '-'.repeat(size)).join('  ')]
      : []
    return [...heading, ...cells.map(line)].map((text) => `${text}\n`).join('')
  }
}

function toPainted(cell: TableCell): PaintedCell {
  if (cell === null) return { text: '', paint: (text) => text }
  if (typeof cell === 'object') return { text: visible(cell.text), paint: (text) => cell.paint(text) }
  return { text: visible(String(cell)), paint: (text) => text }
}

/** Makes columns narrower, one after the other, until no line is too long. */
function narrowed(columns: readonly string[], cut: readonly string[], widths: readonly number[]) {
  const narrow = [...widths]
  for (const column of cut) {
    const at = columns.indexOf(column)
    const width = narrow[at] ?? 0
    const excess = narrow.reduce((sum, one) => sum + one + 2, -2) - LONGEST_LINE
    if (excess > 0) narrow[at] = Math.min(width, Math.max(NARROWEST, width - excess))
  }
  return narrow
}

/** Cuts a text to a width, which is measured in terminal columns. */
function shortened(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  let kept = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(kept + segment) >= width) break
    kept += segment
  }
  return `${kept.trimEnd()}…`
}
