/** A number of a customer's own field has fewer digits in a row, and no exponent beyond. */
const MAX_EXPONENT = 1000
// A run of digits is tried from its start only: from each of them, runs just short of it would take a thousand times as long.
const MANY_DIGITS = /(?<!\d)\d{1000}/

/** Found in every JSON text with a number that is too wide, and in a few others. */
export const PERHAPS_WIDE = new RegExp(`\\d[eE][+-]?\\d{4}|${MANY_DIGITS.source}`)

/** Whether a number, by its digits as written, is wider than a field of a customer's own takes. */
export function isWideNumber(digits: string): boolean {
  return MANY_DIGITS.test(digits) || Math.abs(exponentOf(digits)) > MAX_EXPONENT
}

/** Digits of `numeric`, on which jsonb numbers are built: 131,072 before the point and 16,383 after it. */
const BEFORE_POINT = 131_072
const AFTER_POINT = 16_383

/** Whether a JSON number, by its digits as written, is one that `numeric` cannot hold. */
export function isBeyondNumeric(digits: string): boolean {
  const [, whole = '', fraction = ''] = /^-?(\d+)(?:\.(\d+))?/.exec(digits) ?? []
  const exponent = exponentOf(digits)
  return whole.length + exponent > BEFORE_POINT || fraction.length - exponent > AFTER_POINT
}

/** The exponent of a number as it is written; zeros in front of it do not count. */
export function exponentOf(digits: string): number {
  return Number(/[eE]([+-]?\d+)$/.exec(digits)?.[1] ?? 0)
}
