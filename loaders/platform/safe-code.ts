import type { Fields } from '../../sql/tables.ts'

/** The code that is stored instead of a code which could be, or contain, a value of a person. */
export const HIDDEN_CODE = 'hidden'

const LONGEST = 48
/** Matches up to seven words, such as `email_taken`. */
const GRAMMAR = /^[a-z]{1,24}(?:_[a-z0-9]{1,24}){0,6}$/
/** A number of four digits could be an id or part of a telephone number. */
const NUMBER = /\d{4}/
/**
 * Matches an e-mail address that is written with `_`. The endings `_id`, `_ok` and `_up` are allowed, because
 * they are usual in codes.
 */
const ADDRESS = /_at_|_(?:com|net|org|edu|gov|(?!(?:id|ok|up)$)[a-z]{2})$/

/**
 * Returns a code if it is safe to store and show, otherwise `hidden`. Codes name kinds of faults
 * (`loaders/platform/contract`), but a platform could put a person's address or name into one.
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

/** Returns the words of a value that have three letters or more. */
function wordsOf(value: string): readonly string[] {
  return value
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 2)
}
