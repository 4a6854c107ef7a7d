import type { Fields } from '../../sql/tables.ts'

/** In place of a code that could be, or hold, a value of a person. */
export const HIDDEN_CODE = 'hidden'

const LONGEST = 48
/** Up to seven words, such as `email_taken`; a number of four digits could be an id or a telephone. */
const GRAMMAR = /^[a-z]{1,24}(?:_[a-z0-9]{1,24}){0,6}$/
const NUMBER = /\d{4}/
/** Matches the end of a mail address that is written with `_`. `_id`, `_ok` and `_up` are words of codes. */
const ADDRESS = /_at_|_(?:com|net|org|edu|gov|(?!(?:id|ok|up)$)[a-z]{2})$/

/**
 * A code as it may be kept and shown: codes name kinds (`loaders/platform/contract`), but a platform can put a person's address or
 * name into one.
 *
 * @param fields fields of the rejected operation
 */
export function safeCode(code: string, fields: Fields | undefined): string {
  if (code.length > LONGEST || !GRAMMAR.test(code) || NUMBER.test(code) || ADDRESS.test(code))
    return HIDDEN_CODE
  const words = code.split('_')
  const isOfPerson = PERSONAL.some((name) => {
    const value = fields?.[name]
    return typeof value === 'string' && wordsOf(value).some((word) => words.includes(word))
  })
  return isOfPerson ? HIDDEN_CODE : code
}

const PERSONAL = ['firstName', 'lastName', 'emailAddress']

/** Words of three letters or more. */
function wordsOf(value: string): readonly string[] {
  return value
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 2)
}
