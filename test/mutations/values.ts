import { type Mutation, mutationsOf } from './mutation.ts'

/** Rules that look at one value: text, flags, keys, references. Source: spec-gaps, "The rules in detail". */
export const ofValues: readonly Mutation[] = [
  ...mutationsOf('transforms/rules/text.ts', {
    'Text: the trim is forgotten': ['const value = stored.trim()', 'const value = stored'],
    'Text: U+0000 stays': [`text.includes('\\0') ? text.replaceAll('\\0', '') : text`, 'text'],
    'Text: U+0000 is dropped after lone surrogates are replaced': [
      `  const kept = text.includes('\\0') ? text.replaceAll('\\0', '') : text\n  return kept.isWellFormed() ? kept : kept.toWellFormed()`,
      `  return text.toWellFormed().replaceAll('\\0', '')`,
    ],
    'Text: lone surrogates stay': ['kept.isWellFormed() ? kept : kept.toWellFormed()', 'kept'],
    'Text: a number is not text': [
      `if (typeof value === 'number') return { value: String(value), mark: null }`,
      '',
    ],
    'Ids: a number does not keep its digits': [
      'value: value.rawJSON',
      'value: String(Number(value.rawJSON))',
    ],
    'Text: a boolean is its text': ['return NOT_TEXT', 'return { value: String(value), mark: null }'],
    'Detail: unsupported_character is not noted': [
      `stored === text ? null : 'unsupported_character'`,
      'null',
    ],
  }),
  ...mutationsOf('transforms/rules/flags.ts', {
    'Flags: the text "false" counts': [
      `typeof value === 'boolean' ? value : null`,
      `typeof value === 'boolean' ? value : value === 'false' ? false : null`,
    ],
    'cancelled_at: false cancels': ['if (value === false) return false', ''],
    'cancelled_at: a zero date with a time cancels': [
      `!text.value.startsWith('0000-00-00')`,
      `text.value !== '0000-00-00'`,
    ],
    'cancelled_at: an object does not cancel': [`return text.mark === 'not_text'`, 'return false'],
  }),
  ...mutationsOf('transforms/rules/keys.ts', {
    'Keys of A: within a record, case matters': ['key.toLowerCase() === name', 'key === name'],
    'Keys of A: the first of two spellings counts, blank or not': [' && !isBlank(value)', ''],
  }),
  ...mutationsOf('transforms/rules/references.ts', {
    'session_ids: a text is one id': [`value.split(',')`, '[value]'],
    'References: bare ids in a list are not read': [
      'isObject ? idOf(element) : element',
      'isObject ? idOf(element) : undefined',
    ],
    'References: an object without an id is not noted': [
      `if (mark === 'not_text' || (isObject && id === null)) marks.add('left_out')`,
      '',
    ],
    'Byte order: UTF-16 units are compared': ['Buffer.compare(a.bytes, b.bytes)', '(a.id < b.id ? -1 : 1)'],
  }),
  ...mutationsOf('transforms/rules/urls.ts', {
    'URLs: any scheme will do': ['const HTTP_URL = /^https?:', 'const HTTP_URL = /^[a-z]+:'],
    'URLs: white space is let in': [
      'const HTTP_URL = /^https?:\\/\\/\\S+$/i',
      'const HTTP_URL = /^https?:\\/\\/.+$/i',
    ],
    'Links: Href of an object is not read': [` ?? valueByKey(element, 'href')`, ''],
    'Links: | does not separate': ['/(?<![\\s,;|])[\\s,;|]+(?=https?:', '/(?<![\\s,;])[\\s,;]+(?=https?:'],
    'Links: a JSON list in a text is not read': [
      'parsed === null ? text.split(BETWEEN_LINKS) : toPieces(parsed)',
      'text.split(BETWEEN_LINKS)',
    ],
    'Facebook: a host that ends like the site is taken for it': [
      '/^(?:[a-z0-9-]+\\.)*facebook',
      '/^[a-z0-9.-]*facebook',
    ],
    'LinkedIn: a handle becomes the URL of no profile': [
      `ofHandle: 'https://www.linkedin.com/in/'`,
      `ofHandle: 'https://www.linkedin.com/'`,
    ],
    'Facebook: anything is a handle': ['HANDLE.test(text) ? ofHandle + text : null', 'ofHandle + text'],
    'Twitter: the first segment of the path is the handle': ['findLast(', 'find('],
    'Twitter: the query belongs to the handle': ['[^/?#]*([^?#]*)/i', '[^/?#]*(.*)/i'],
    'Twitter: @ stays': [`text.replace(/^@/, '').trim()`, 'text.trim()'],
  }),
]
