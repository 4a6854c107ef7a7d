import { Parser } from 'htmlparser2'

const HTML = /<\/?[a-z][^<>]*>|&(?:#\d+|#x[\da-f]+|[a-z]+\d*);/i

/** Elements that begin on a line of their own. */
const BLOCKS = new Set(
  'address article blockquote br dd div dl dt figure h1 h2 h3 h4 h5 h6 hr li ol p pre section table tr ul'.split(
    ' ',
  ),
)
const HIDDEN = new Set(['script', 'style', 'head', 'title'])

/**
 * Returns the text of HTML: each paragraph is on its own line, and the address of a link is behind the link. A
 * text without tags and entities does not change.
 */
export function toPlainText(html: string): string {
  if (!HTML.test(html)) return html
  let text = ''
  let hidden = 0
  const links: { readonly href: string; readonly from: number }[] = []
  const parser = new Parser({
    onopentag(name, { href = '' }) {
      if (HIDDEN.has(name)) hidden += 1
      if (BLOCKS.has(name)) text += '\n'
      if (name === 'li') text += '- '
      if (name === 'a') links.push({ href, from: text.length })
    },
    ontext(data) {
      if (hidden === 0) text += data.replace(/\s+/g, ' ')
    },
    onclosetag(name) {
      if (HIDDEN.has(name)) hidden -= 1
      if (BLOCKS.has(name)) text += '\n'
      if (name !== 'a') return
      const { href = '', from = 0 } = links.pop() ?? {}
      if (/^(?:https?|mailto):/.test(href) && !text.slice(from).includes(href)) text += ` (${href})`
    },
  })
  parser.write(html)
  parser.end()
  return text
    .split('\n')
    .map((line) => line.replace(/ +/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n')
}
