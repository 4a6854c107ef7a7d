import type { CustomOptions } from './custom-options.ts'
import type { Value } from './model-draft.ts'
import type { Fields } from './model-items.ts'
import type { Content } from './options.ts'

/** Query parameters that contain the signature of a URL or belong to it. Source: transforms/RULES.md#r59. */
const SIGNING =
  'signature expires key-pair-id policy awsaccesskeyid googleaccessid sig se sp sv sr st skoid sktid skt ske sks skv spr sip token'.split(
    ' ',
  )
const SIGNING_BEGIN = ['x-amz-', 'x-goog-']

function isSigning(parameter: string): boolean {
  const name = (parameter.split('=')[0] ?? '').toLowerCase()
  return SIGNING.includes(name) || SIGNING_BEGIN.some((begin) => name.startsWith(begin))
}

function unsigned(address: string): string {
  const [before = '', ...fragment] = address.split('#')
  const [path = '', ...query] = before.split('?')
  const left = query
    .join('?')
    .split('&')
    .filter((parameter) => parameter !== '' && !isSigning(parameter))
  return [left.length === 0 ? path : `${path}?${left.join('&')}`, ...fragment].join('#')
}

/** Returns the value of a field for comparisons: URLs of files have no signature. */
export function asCompared(
  content: Content,
  field: string,
  value: Value | undefined,
  custom: CustomOptions = {},
): Value | undefined {
  const isAddress =
    (content === 'agenda' && field === 'linkUrls') ||
    (content === 'speakers' && field === 'imageUrl') ||
    Object.entries(custom[content] ?? {}).some(([name, { as }]) => as === 'url' && field === `custom.${name}`)
  if (!isAddress) return value
  if (typeof value === 'string') return unsigned(value)
  return Array.isArray(value) ? value.map(unsigned) : value
}

export function allAsCompared(content: Content, fields: Fields, custom: CustomOptions = {}) {
  return Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [field, asCompared(content, field, value, custom)]),
  )
}
