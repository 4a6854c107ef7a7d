import stringWidth from 'string-width'
import { type LiveLines, liveLines } from '../observe/live-lines.ts'
import { EXIT } from '../runtime/report.ts'
import { escaped, visible } from '../runtime/visible.ts'

export interface CommandOutput extends NodeJS.WritableStream {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
  /**
   * The output without escaping. Commands use it for control sequences of their own, such as those that
   * rewrite a line. If undefined, this output does not escape anything.
   */
  readonly bare?: NodeJS.WritableStream
}

/** Everything that a command uses of its process. */
export interface CommandIo {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly stdout: CommandOutput
  readonly stderr: CommandOutput
  /**
   * Lines on the terminal that are rewritten, below all other text. They are erased before any other text is
   * written. Undefined if standard error is not a terminal.
   */
  readonly live?: LiveLines | undefined
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly signals: Signals
  /**
   * Ends the process if the embedded database neither answers nor works. If undefined, nothing watches the
   * database.
   */
  readonly onStuck?: (message: string) => void
  /** Aborted if the caller cancels the command. */
  readonly cancelled?: AbortSignal
  /** Text of the configuration. If undefined, the configuration is read from its file. */
  readonly configText?: string
}

/**
 * Returns the input, output and signals of this process. Each stream is accessed only when it is needed,
 * because opening standard input has side effects.
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

/** Changes a text that a command prints. */
export type Rewrite = (text: string, to: 'stdout' | 'stderr') => string

/**
 * Returns an output that escapes everything that could control a terminal. All text that a command prints
 * goes through this output.
 *
 * @param rewrite changes a text before it is escaped
 */
export function guarded(io: CommandIo, rewrite: Rewrite = (text) => text): CommandIo {
  let live: LiveLines | undefined
  const print = (text: string, to: 'stdout' | 'stderr') => {
    // Both outputs may be the same terminal.
    live?.erase()
    return rewrite(text, to)
  }
  const openLive = () => {
    if (io.stderr.isTTY === true) live ??= liveLines(io.stderr)
    return live
  }
  // Getters access each stream only when it is needed.
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

/** Returns an output some of whose members are replaced. */
export function replacing(output: CommandOutput, members: Partial<CommandOutput>): CommandOutput {
  return new Proxy(output, {
    get(target, key) {
      if (key in members) return Reflect.get(members, key)
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** Exit codes of a command that a signal ended, equal to those that a shell reports. */
export const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const

/**
 * A second signal within this time counts as the same one. The terminal and the parent process may both pass
 * on a single Ctrl-C.
 */
const SAME_SIGNAL_MS = 1_000

type End = (code: number) => void

/** The signal handling that a command can change. */
export interface Signals {
  /** Sets what the first signal does. A second signal ends the process at once. */
  onFirst(end: End): void
  /** Ends the process in the same way as the first signal. */
  end(code: number): void
  /** Ends the process at once, with all work that is under way. */
  endAtOnce(code: number): void
}

/** Process 1 of a container ignores signals for which it has no handler. */
const isFirstOfContainer = process.pid === 1

/**
 * Lets commands choose what the first signal does. A process without a handler is ended by the system, even
 * in the middle of a query; a handler runs only after the query. An abrupt end is safe: applied changes are
 * recorded, and the next run finishes the others.
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

/** A text that is coloured after its width was measured. */
interface PaintedCell {
  readonly text: string
  paint(text: string): string
}

type TableCell = string | number | boolean | null | PaintedCell

/** Longest line of a table whose columns may be cut. */
const LONGEST_LINE = 120
/** Width below which a column is not cut. */
const NARROWEST = 12

/**
 * Formats rows under headings as a table for people; null becomes an empty cell. Widths are those of a
 * terminal, where 水 takes two columns.
 *
 * @param cut columns whose texts are cut, those named first by more, so that no line is too long
 */
export function toTable(
  columns: readonly string[],
  rows: readonly (readonly TableCell[])[],
  cut: readonly string[] = [],
): string {
  return openTable(columns, cut)(rows)
}

/**
 * Formats a table page by page. Column widths come from the first page; a longer cell on a later page pushes
 * the rest of its line to the right.
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

/** Makes columns narrower, one after the other, until a line is short enough. */
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

/** Cuts a text that is wider than the columns of a terminal that it may take. */
function shortened(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  let kept = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(kept + segment) >= width) break
    kept += segment
  }
  return `${kept.trimEnd()}…`
}
