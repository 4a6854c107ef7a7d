import type { Content, FieldValue } from '../../sql/tables.ts'
import { columnOfField } from '../../transforms/decide/platform-fields.ts'
import type { MissingFields } from '../../transforms/declare/contents.ts'
import type { Operation } from './target.ts'

/** The limits of a platform, as its documentation states them. */
export interface TargetLimits {
  /** Maximum number of operations in one batch. */
  readonly batchSize: number
  /**
   * Maximum number of requests in any period of one minute, retries included. Left out: the product does not
   * wait between two requests.
   */
  readonly requestsPerMinute?: number
  /**
   * Fields whose value only one item of a content may have. Upper and lower case do not make two values
   * different.
   */
  readonly uniqueFields?: Readonly<Partial<Record<Content, readonly string[]>>>
  /** Maximum number of characters (Unicode code points) of the texts in a field. */
  readonly longestTexts?: Readonly<Partial<Record<Content, Readonly<Record<string, number>>>>>
  /**
   * Contents whose items the platform can remove, or can cancel so that nobody sees them. Left out: all
   * contents of the target.
   */
  readonly removes?: readonly Content[]
  /**
   * Optional fields for which the platform has no place; `custom` stands for the fields of the configuration.
   * Items are made without these fields. Left out: the platform has a place for every field.
   */
  readonly missingFields?: MissingFields
}

/**
 * Finds the upserts that a platform could only reject, so that they are not sent: upserts with a text that is
 * too long, and upserts with the unique value of an earlier upsert in the same batch. Many platforms refuse a
 * whole batch because of one such operation.
 *
 * @returns codes such as `first_name_too_long` or `email_address_taken`, by the `seq` of the operation
 */
export function beyondLimits(
  { longestTexts = {}, uniqueFields = {} }: Pick<TargetLimits, 'longestTexts' | 'uniqueFields'>,
  operations: readonly Operation[],
): ReadonlyMap<number, string> {
  const codes = new Map<number, string>()
  const taken = new Set<string>()
  for (const operation of operations) {
    if (operation.op === 'remove') continue
    const { seq, content, fields } = operation
    const tooLong = Object.entries(longestTexts[content] ?? {}).find(([field, most]) =>
      textsOf(fields[field]).some((text) => [...text].length > most),
    )
    if (tooLong !== undefined) {
      codes.set(seq, `${columnOfField(tooLong[0])}_too_long`)
      continue
    }
    const values = (uniqueFields[content] ?? []).flatMap((field) =>
      textsOf(fields[field]).map((text) => ({ field, key: JSON.stringify([content, field, folded(text)]) })),
    )
    const double = values.find(({ key }) => taken.has(key))
    if (double !== undefined) codes.set(seq, `${columnOfField(double.field)}_taken`)
    else for (const { key } of values) taken.add(key)
  }
  return codes
}

function textsOf(value: FieldValue | object | undefined): readonly string[] {
  return [value].flat().filter((text) => typeof text === 'string')
}

const folded = (text: string) => text.trim().normalize('NFC').toLowerCase()
