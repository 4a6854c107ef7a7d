import type { Fields } from '../../sql/tables.ts'

/** The code that is stored in place of a code that could be, or contain, a personal value. */
export const HIDDEN_CODE = 'hidden'

const LONGEST = 48
/** Matches a code of one to seven words, such as `email_taken`. */
const GRAMMAR = /^[a-z]{1,24}(?:_[a-z0-9]{1,24}){0,6}$/
/** Matches four digits in a row, which could be an id or part of a telephone number. */
const NUMBER = /\d{4}/
/**
 * Matches an e-mail address that is written with `_` instead of `@` and dots. The pattern does not match the
 * endings `_id`, `_ok` and `_up`, because they are usual in codes.
 */
const ADDRESS = /_at_|_(?:com|net|org|edu|gov|(?!(?:id|ok|up)$)[a-z]{2})$/

/**
 * Returns a code if the code is safe to store and show; returns `hidden` if it is not safe. Codes name kinds
 * of faults (see `loaders/platform/contract`), but a platform could put a person's address or name into a
 * code.
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

/** Returns those words of a value that have at least three letters. */
function wordsOf(value: string): readonly string[] {
  return value
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 2)
}
