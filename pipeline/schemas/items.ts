/** Schemas of the `--json` output about items and records. */
import { z } from 'zod'
import {
  content,
  count,
  type Described,
  fieldValue,
  integration,
  pin,
  runAt,
  runOf,
  runStatus,
  timeOf,
  uniqueId,
} from './values.ts'

const explainedRecord = z
  .object({
    resource: z.string(),
    sourceId: z.string(),
    since: runAt.describe('The run that first read the current version of the record.'),
    goneSince: runAt.nullable().describe('The first run that did not find the record any more.'),
  })
  .describe('The record from which the item is made.')

const origin = z
  .object({
    resource: z.string(),
    sourceId: z.string(),
    path: z.string().describe('JSON path in the record.'),
    option: z.string().describe('Option of the configuration that names the key.').exactOptional(),
    there: z
      .enum(['value', 'null', 'blank', 'empty', 'absent', 'no_record', 'list'])
      .describe(
        '`no_record`: the source does not have the referenced record. `list`: a list of ids, which are shown as references.',
      ),
    value: z.unknown().describe('The value at this place: any JSON.').exactOptional(),
  })
  .meta({ id: 'origin', description: 'A place in a record of the source, and the value there.' })

const why = z
  .object({
    reason: z.string().describe('Code of the reason; transforms/RULES.md lists the codes.'),
    text: z.string(),
    todo: z.string(),
    values: z.array(origin),
    since: runAt.nullable().describe('The run that made this decision.'),
  })
  .describe('Why the item is not synced.')

const reference = z
  .object({
    id: z.string(),
    content,
    resource: z
      .string()
      .describe(
        'Resource of the referenced record. If the record does not exist, the resource from which its item would be made.',
      ),
    named: z
      .array(z.object({ resource: z.string(), sourceId: z.string(), path: z.string() }))
      .describe('Records that refer to this record, each with the path of the reference.'),
    isKept: z.boolean(),
    reason: z
      .string()
      .nullable()
      .describe('Why the reference is not sent to the platform; null if it is sent.'),
  })
  .describe('A record to which a field of another record refers.')

const field = z.object({
  field: z.string().describe('Name of the platform field, or `uniqueId`.'),
  value: fieldValue.nullable(),
  from: z.array(origin),
  clause: z.string().describe('Clause of the specification.'),
  rule: z.string(),
  firstRun: runAt.nullable().describe('The first run that set this value.'),
  lastRun: runAt.nullable().describe('The run that last changed the value.'),
  before: fieldValue.nullable().describe('Value before the last change.'),
  references: z
    .array(reference)
    .describe(
      'Items to which the field refers, including items that are not synced; only for fields that refer to items.',
    )
    .exactOptional(),
  absent: z.string().describe('Why the field has no value; absent if it has one.').exactOptional(),
  platform: fieldValue
    .nullable()
    .describe('Value that the platform has; only if it differs from the desired value.')
    .exactOptional(),
})

const platform = z
  .object({
    has: z.boolean(),
    asDesired: z
      .boolean()
      .describe('True if the platform has the desired item, or has no item and none is desired.'),
    text: z.string(),
    sentBy: runAt
      .nullable()
      .describe("The run that sent the platform's version of the item, or that read it from the platform."),
    lastChange: runAt
      .extend({
        action: z.string(),
        state: z.string(),
        reason: z.string().nullable(),
        code: z.string().nullable(),
        retryable: z.boolean().nullable(),
      })
      .nullable()
      .describe('The last planned change of the item.'),
    removed: runAt.extend({ reason: z.string() }).nullable().describe('The removal of the item.'),
  })
  .describe('The item on the platform, and what the next run will do with it.')

const explanation = z
  .object({
    integration,
    content,
    uniqueId,
    standing: z
      .enum(['synced', 'excluded', 'gone', 'forgotten', 'platform_only'])
      .describe(
        '`gone`: the source no longer has the record. `forgotten`: the person was forgotten, so every read drops the record. `platform_only`: the platform has or had the item, but no run ever read a record of it.',
      ),
    lastRead: runAt
      .extend({ status: runStatus })
      .describe('The last run that read the source; the explanation describes the state after this run.'),
    record: explainedRecord.nullable(),
    why: why.nullable(),
    fields: z.array(field).describe('Every field that the source can fill; empty if the item is not synced.'),
    marks: z
      .array(z.object({ mark: z.string(), field: z.string(), text: z.string() }))
      .describe('Notes about doubtful or left-out values.'),
    platform,
    leftOutNext: z.boolean().describe('True if the item was suppressed and no run has followed yet.'),
    pinned: pin.nullable().describe('The pin, because of which runs send nothing now.'),
    notes: z.array(z.string()),
  })
  .meta({ id: 'explanation', description: 'Why an item exists or is missing.' })

export type RunAt = Described<typeof runAt>
export type ExplainedOrigin = Described<typeof origin>
export type Why = Described<typeof why>
export type Reference = Described<typeof reference>
export type ExplainedField = Described<typeof field>
export type PlatformState = Described<typeof platform>
/** Explains why an item exists or is missing. Personal data that must not be shown is already hidden. */
export type Explanation = Described<typeof explanation>

/** The output of `explain`: one item, or with `--name` or `--email` and no content every item of a person. */
export const explained = z.union([explanation, z.object({ items: z.array(explanation) })])

const missingRecord = z
  .object({
    content,
    id: z.string().nullable().describe('Id of the record; null if it could not be read.'),
    name: z.string().nullable(),
    reason: z.string().describe('`hint:` and a name for an item with a hint.'),
    why: z.string().describe('The reason as a sentence.'),
    todo: z
      .string()
      .describe('Advice for the organiser; begins with "Nothing" if the record may be correct.'),
  })
  .describe('A record that is not synced, cannot be read or was rejected, or an item with a hint.')

const waitingRun = z
  .object({
    run: runOf('Id of the run'),
    startedAt: timeOf('Begin of the run'),
    status: z.string(),
    plannedAt: timeOf('Time at which the plan was stored').nullable(),
    guard: z.string().nullable().describe('Guard that holds the plan.'),
  })
  .describe('A newer run, no change of which is in the app.')

const soughtItem = z
  .object({
    content,
    id: z.string(),
    name: z.string().nullable(),
    standing: z
      .enum(['in_app', 'removed', 'gone', 'not_sent'])
      .describe('`gone`: the record is gone from the source, and is not in the app.'),
    removedBy: runAt
      .extend({ reason: z.string() })
      .nullable()
      .describe('The run that removed the item, and why; null if no run removed it.'),
    goneSince: runAt
      .nullable()
      .describe('The run that no longer found the record at the source; null if the source has the record.'),
  })
  .describe('A record that the user named and that is not in the list of missing records.')

export type Missing = Described<typeof missingRecord>
export type WaitingRun = Described<typeof waitingRun>
export type SoughtItem = Described<typeof soughtItem>

/** The output of `missing`. */
export const missing = z.object({
  integration,
  run: runOf('Run that the list describes'),
  landedAt: timeOf('Time at which all changes of the run were sent').nullable(),
  waiting: waitingRun.nullable(),
  records: z.array(missingRecord),
  sought: z.array(soughtItem).describe('Only with `--name` or `--email`.').exactOptional(),
})

const unreadable = z.object({
  resource: z.string(),
  place: count.describe('Position in the resource, counted from 1.'),
  sourceId: z.string().nullable(),
  path: z.string().describe('JSON path of the fault in the record.'),
  reason: z.string(),
})

export type Unreadable = Described<typeof unreadable>

/** The output of `quarantine`. */
export const quarantined = z.object({
  integration,
  run: runOf('The last run that read the source').nullable(),
  readAt: timeOf('Begin of this run').nullable(),
  records: z.array(unreadable),
})

const suppressedItem = z.object({
  content,
  uniqueId,
  since: timeOf('Time at which the item was suppressed'),
  by: z.string().describe('Operator.'),
  reason: z.string().nullable(),
})

const changedSuppression = z.object({
  integration,
  content,
  uniqueId,
  action: z.enum(['suppress', 'unsuppress']),
  changed: z.boolean().describe('False if nothing had to be changed.'),
})

/** The output of `suppress`: the change, or the list of suppressed items if no item was named. */
export const suppressed = z.union([
  changedSuppression,
  z.object({ integration, suppressed: z.array(suppressedItem) }),
])

/** The output of `unsuppress`. */
export const unsuppressed = changedSuppression
