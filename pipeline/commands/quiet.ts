import { EXIT_CODES, MEANINGS } from '../observe/outcome.ts'
import { EXIT } from '../runtime/report.ts'
import { type CommandIo, type CommandOutput, replacing, type Signals } from './io.ts'

/** The one line that --quiet prints: what happened and what to do next. */
export interface Why {
  readonly what: string
  /** Meaning of the exit code; left out if the code has only one meaning. */
  readonly meaning?: string
  readonly next: string
}

/** Implements --quiet: once it has begun, the output of a command is held back instead of printed. */
export interface Quiet {
  /** The streams that the command must use for its input and output. */
  readonly io: CommandIo
  /**
   * Begins to hold back output.
   *
   * @param keepsOutput true: standard output is printed, and only standard error is held back
   */
  begin(keepsOutput: boolean): void
  /**
   * Stops holding back output. `end` returns the line that says how the command ended. The line is empty at
   * exit code 0, or if `begin` was not called.
   *
   * @param why reason of the exit code; if null, the last text that was held back on standard error
   */
  end(code: number, why: Why | null): string
}

/**
 * Makes the object that implements --quiet for one command.
 *
 * @param write prints the final line if a signal ends the command at once
 */
export function makeQuiet(io: CommandIo, write: (text: string) => void): Quiet {
  let isOn = false
  let isOutputKept = false
  let last = ''

  function held(output: CommandOutput, to: 'stdout' | 'stderr'): CommandOutput {
    const write = (text: string | Uint8Array) => {
      if (!isOn || (to === 'stdout' && isOutputKept)) return output.write(text)
      if (to === 'stderr') last = String(text).trim() || last
      return true
    }
    return replacing(output, { write })
  }

  function end(code: number, why: Why | null): string {
    if (!isOn) return ''
    isOn = false
    if (code === EXIT.ok) return ''
    const known: Why = why ?? (last === '' ? UNKNOWN : { what: last, next: todoOf(code) })
    const { what, meaning = MEANINGS[code] ?? 'interrupted', next } = known
    return `${inOneLine(what)}; exit code ${code}: ${meaning}; next: ${inOneLine(next)}\n`
  }

  const signals: Signals = {
    onFirst: (work) => io.signals.onFirst(work),
    onHangup: (work) => io.signals.onHangup(work),
    onOrphaned: (work) => io.signals.onOrphaned(work),
    end: (code) => io.signals.end(code),
    endAtOnce(code) {
      write(end(code, null))
      io.signals.endAtOnce(code)
    },
  }
  return {
    // Getters open each stream only at its first use.
    io: Object.create(io, {
      stdout: { get: () => held(io.stdout, 'stdout') },
      stderr: { get: () => held(io.stderr, 'stderr') },
      signals: { value: signals },
    }),
    begin(keepsOutput) {
      isOn = true
      isOutputKept = keepsOutput
    },
    end,
  }
}

const UNKNOWN: Why = { what: 'the command did not end well', next: 'run it again without --quiet' }

/** Joins the lines of a text with `; `. */
export function inOneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, '; ')
}

function todoOf(code: number): string {
  if (code === EXIT.failed) return 'correct it, and run the same command again'
  const isOfCode = ({ code: codes }: { readonly code: string }) => codes.split(', ').includes(String(code))
  return EXIT_CODES.find(isOfCode)?.todo ?? UNKNOWN.next
}
