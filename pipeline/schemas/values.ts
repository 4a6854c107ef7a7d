/** Values that several outputs of the product contain. */
import { z } from 'zod'
import type { Finding } from '../../loaders/packs/csv-files/pack-format.ts'
import {
  type ChangeCounts,
  CONTENTS,
  type Content,
  type FieldValue,
  type Hold,
  type Pin,
  RUN_STATUSES,
} from '../../sql/tables.ts'

/** A value that nobody may change. */
export type Frozen<T> = T extends object ? { readonly [Key in keyof T]: Frozen<T[Key]> } : T

/** The value that a schema describes. */
export type Described<Schema extends z.ZodType> = Frozen<z.output<Schema>>

export const count = z.int().nonnegative()

/** Makes the schema of counts by name. */
export const counts = (names: string) => z.record(z.string(), count).describe(names)

const time = z.string().meta({ format: 'date-time' })
/** Makes the schema of a time. */
export const timeOf = (what: string) => time.describe(`${what}; ISO 8601 in UTC`)

const uuid = z.string().meta({ format: 'uuid' })
/** Makes the schema of the id of a run. */
export const runOf = (what: string) => uuid.describe(`${what}; a UUID of version 7`)

export const integration = z.string().describe('Id of the integration.')

export const content = z.enum(CONTENTS).describe('Kind of data that the platform receives.')

export const runStatus = z.enum(RUN_STATUSES).describe('How far the run has come, or how it ended.')

export const command = z.enum(['run', 'plan', 'rollback']).describe('Command that started the run.')

export const action = z.enum(['create', 'update', 'handover', 'remove'])

export const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

export const uniqueId = z
  .string()
  .describe('Unique ID of the item within its content; `(hidden)` if the id is an e-mail address.')

/** The value of a platform field. In memory, a number that a double cannot store is an object with its digits. */
export const fieldValue: z.ZodType<FieldValue> = z
  .union([z.string(), z.array(z.string()), z.number(), z.boolean()])
  .meta({ id: 'fieldValue', description: 'Value of a platform field; `(hidden)` replaces values of people.' })

const changeCounts: z.ZodType<ChangeCounts> = z
  .object({
    create: count,
    update: count,
    handover: count
      .describe(
        'Attendees who are removed and created again because the registration changed hands; absent if none.',
      )
      .exactOptional(),
    remove: count,
    unchanged: count,
  })
  .meta({ id: 'changeCounts', description: 'Number of items for each action of the plan.' })

/** The number of changes of each content. */
export const changesByContent = ofEachContent(changeCounts)

/** Makes the schema of a value for each content. */
export function ofEachContent<Value extends z.ZodType>(value: Value) {
  return z.object({ agenda: value, speakers: value, attendees: value } satisfies Record<Content, Value>)
}

export const pin: z.ZodType<Pin> = z
  .object({
    since: timeOf('Time at which the integration was pinned'),
    until: timeOf('Time at which the pin ends')
      .nullable()
      .describe('Null if it lasts until `event-sync resume`.'),
    reason: z.string().nullable().describe('Reason that the operator gave.'),
  })
  .meta({ id: 'pin', description: 'A pause or a rollback, because of which runs send nothing.' })

export const hold: z.ZodType<Hold> = z
  .object({
    guard: z.string().describe('Guard that found something in the plan.'),
    detail: z.string().describe('First line: the finding with its numbers. Second line: the advice.'),
  })
  .meta({ id: 'hold', description: 'A finding of a guard about the plan.' })

/** A run, and the time at which it began. */
export const runAt = z.object({ run: runOf('Id of the run'), at: timeOf('Time at which the run began') })

export const finding: z.ZodType<Finding> = z.object({
  file: z.string().describe('File of the folder, or `chain` for a finding about the chain of packs.'),
  message: z.string(),
})
