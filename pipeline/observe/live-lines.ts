import { escaped } from '../runtime/visible.ts'

/** The last lines on a terminal, which are rewritten in place until they are erased. */
export interface LiveLines {
  /** Replaces the lines that are shown with new lines. */
  show(lines: readonly string[]): void
  erase(): void
}

export interface Terminal {
  readonly columns?: number
  readonly rows?: number
  write(text: string): unknown
}

/**
 * Shows lines at the end of a terminal and rewrites them in place. A line is cut to the width of the
 * terminal, and lines beyond its height are left out. The cursor could otherwise not return to the first of
 * the lines.
 */
export function liveLines(terminal: Terminal): LiveLines {
  let shown = 0
  const erasing = () => (shown === 0 ? '' : `\r\x1b[${shown}A\x1b[J`)
  return {
    show(lines) {
      // A terminal whose size is unknown says that its size is 0.
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
