import { type Html, html } from './html.ts'
import { grouped } from './words.ts'

/** A table with its caption; a heading of a column of numbers begins with `#`. */
export function table({
  caption,
  head,
  rows,
}: {
  readonly caption: string
  readonly head: readonly string[]
  /** Rows, or groups of them that are `tbody` themselves. */
  readonly rows: readonly Html[]
}): Html {
  const headings = head.map((title) =>
    title.startsWith('#')
      ? html`<th scope="col" class="n">${title.slice(1)}</th>`
      : html`<th scope="col">${title}</th>`,
  )
  return html`<table><caption>${caption}</caption><thead><tr>${headings}</tr></thead>
${rows}</table>
`
}

/** A wide part that scrolls by itself, with the keyboard too, so that the page does not. */
export function scrolling(label: string, part: Html): Html {
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0">${part}</div>`
}

export function numberCell(count: number): Html {
  return html`<td class="n">${grouped(count)}</td>`
}

/** A cell with a count that there may be none of. */
export function optionalCell(count: number | null): Html {
  return count === null ? html`<td class="n"><span class="none">–</span></td>` : numberCell(count)
}

/** A word that is good news, bad news or a warning: with a sign, since many cannot tell colours apart. */
export function verdict(kind: 'good' | 'bad' | 'warn', text: string): Html {
  const sign = { good: '✓', bad: '✗', warn: '!' }[kind]
  return html`<span class="verdict ${kind}"><span class="sign" aria-hidden="true">${sign}</span> ${text}</span>`
}
