import { escaped } from '../runtime/visible.ts'

/** The lines at the end of a terminal, which are rewritten until they are erased. */
export interface LiveLines {
  /** Replaces the lines that are shown now. */
  show(lines: readonly string[]): void
  erase(): void
}

export interface Terminal {
  readonly columns?: number
  readonly rows?: number
  write(text: string): unknown
}

/**
 * Shows lines that are rewritten. A line is cut to the width of the terminal, and lines that do not fit its
 * height are left out: the cursor could not go back to a wrapped line or to one that has scrolled away.
 */
export function liveLines(terminal: Terminal): LiveLines {
  let shown = 0
  const erasing = () => (shown === 0 ? '' : `\r\x1b[${shown}A\x1b[J`)
  return {
    show(lines) {
      // A terminal of unknown size states 0.
      const [columns, rows] = [terminal.columns || 80, terminal.rows || 24]
      const fitting = lines.slice(0, Math.max(1, rows - 1))
      const text = fitting.map((line) => `${escaped(line).slice(0, columns - 1)}\n`).join('')
      terminal.write(`${erasing()}${text}`)
      shown = fitting.length
    },
    erase() {
      if (shown > 0) terminal.write(erasing())
      shown = 0
    },
  }
}
