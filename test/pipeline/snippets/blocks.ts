/** A code block of a Markdown file. */
export interface Block {
  readonly file: string
  /** The number of the line on which the block begins, from 1. */
  readonly line: number
  /** The text after the opening fence, for example `yaml`. */
  readonly language: string
  readonly text: string
}

/**
 * Returns every code block of a file.
 *
 * @throws Error if a block is not closed
 */
export function blocksOf(file: string, markdown: string): readonly Block[] {
  const blocks: Block[] = []
  let open: {
    readonly fence: string
    readonly language: string
    readonly line: number
    lines: string[]
  } | null = null
  for (const [index, line] of markdown.split(/\r?\n/).entries()) {
    const fence = /^ {0,3}(`{3,}|~{3,})\s*(.*?)\s*$/.exec(line)
    if (open === null) {
      if (fence !== null)
        open = { fence: fence[1] ?? '', language: fence[2] ?? '', line: index + 1, lines: [] }
    } else if (fence?.[2] === '' && fence[1]?.startsWith(open.fence)) {
      blocks.push({ file, line: open.line, language: open.language, text: open.lines.join('\n') })
      open = null
    } else open.lines.push(line)
  }
  if (open !== null) throw new Error(`${file}, line ${open.line}: this block is not closed`)
  return blocks
}
