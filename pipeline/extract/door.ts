import { z } from 'zod'
import type { Cell } from '../../sql/database.ts'
import { isJsonObject, type Json, type JsonObject } from '../../transforms/rules/json.ts'
import type { Mark } from '../../transforms/rules/references.ts'
import { inByteOrder, type References } from '../../transforms/rules/references.ts'
import { readText } from '../../transforms/rules/text.ts'
import type { Time } from '../../transforms/rules/times.ts'
import type { Fault, StagedRecord, StagedValue } from './source.ts'

const NO_MARKS: readonly Mark[] = []

/** An index of the database holds no more than about 2700 bytes; one such id would fail the whole run. */
const MAX_ID_BYTES = 1000

/** A value and what its reading noticed. */
export function staged(value: Cell, marks: readonly Mark[] | Mark | null = null): StagedValue {
  if (marks === null) return { value, marks: NO_MARKS }
  return { value, marks: typeof marks === 'string' ? [marks] : marks }
}

/** A field of a record: any JSON, absent being allowed, read by a rule. */
function field(read: (value: Json | undefined) => StagedValue) {
  return z
    .unknown()
    .optional()
    .transform((value) => read(value as Json | undefined))
}

/** Text by the text rule. */
export const text = field((value) => {
  const { value: read, mark } = readText(value)
  return staged(read, mark)
})

/** A field read by a rule that gives a value and at most one mark. */
export function readBy(
  rule: (value: Json | undefined) => { readonly value: Cell; readonly mark: Mark | null },
) {
  return field((value) => {
    const { value: read, mark } = rule(value)
    return staged(read, mark)
  })
}

/** A field whose reading notices nothing. */
export function plain(rule: (value: Json | undefined) => Cell) {
  return field((value) => staged(rule(value)))
}

/** The value as it is, for a rule that needs several fields. */
export const raw = z
  .unknown()
  .optional()
  .transform((value) => value as Json | undefined)

/** A list of references in byte order. */
export function referencesInByteOrder({ ids, marks }: References): StagedValue {
  return staged(inByteOrder(ids), marks)
}

/** The two columns of a time: the instant, null unless it was read, and how it was read. */
export function timeColumns<Name extends string>(name: Name, time: Time): Record<string, StagedValue> {
  return {
    [name]: staged('instant' in time ? time.instant : null, time.mark),
    [`${name}_status`]: staged(time.status),
  }
}

/**
 * Makes the door of a resource from the zod schema of its records.
 *
 * @param schema gives the values by column, `source_id` among them
 * @param idPath JSON path of the id, for the fault of a record without one
 * @param prepare what is done to the object's keys first
 */
export function makeDoor(
  schema: z.ZodType<Readonly<Record<string, StagedValue>> & { readonly source_id: StagedValue }>,
  idPath: string,
  prepare: (record: JsonObject) => JsonObject = (record) => record,
): (record: Json) => StagedRecord | Fault {
  return (record) => {
    if (!isJsonObject(record)) return { path: '$', message: 'not an object' }
    const { source_id, ...values } = schema.parse(prepare(record))
    if (typeof source_id.value === 'string') {
      return Buffer.byteLength(source_id.value) > MAX_ID_BYTES
        ? { path: idPath, message: `the id is longer than ${MAX_ID_BYTES} bytes` }
        : { sourceId: source_id, values }
    }
    return { path: idPath, message: source_id.marks.includes('not_text') ? 'the id is not text' : 'no id' }
  }
}
