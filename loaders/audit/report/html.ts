const MARKUP: unique symbol = Symbol('markup')

/** Markup that this product wrote. Nothing but `html` makes it, so a text of a source is never taken for it. */
export interface Html {
  readonly [MARKUP]: string
}

type Part = Html | readonly Html[] | string | number

/** A page of HTML or a part of it: whatever is put in and is not markup itself is there as text. */
export function html(written: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let markup = written[0] ?? ''
  parts.forEach((part, index) => {
    markup += toMarkup(part) + (written[index + 1] ?? '')
  })
  return { [MARKUP]: markup }
}

export const nothing: Html = html``

export function toPage(page: Html): string {
  return page[MARKUP]
}

export function bytesOf(part: Html): number {
  return Buffer.byteLength(part[MARKUP])
}

/** The style sheet of a page: the only text that is not escaped. */
export function styleOf(css: string): Html {
  if (css.includes('<')) throw new Error('a style sheet that holds "<" could end its own tag')
  return { [MARKUP]: `<style>${css}</style>` }
}

function toMarkup(part: Part): string {
  if (typeof part === 'string') return escaped(part)
  if (typeof part === 'number') return String(part)
  return MARKUP in part ? part[MARKUP] : part.map((one) => one[MARKUP]).join('')
}

const REFERENCES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
  '`': '&#96;',
}

function escaped(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => REFERENCES[character] ?? '')
}
