/** Schemas of the `--json` output about runs and plans. */
import { z } from 'zod'
import type { RunSize } from '../../loaders/ledger/ledger.ts'
import type { Missed, ReadingFacts } from '../../sql/tables.ts'
import {
  action,
  changesByContent,
  command,
  content,
  count,
  counts,
  type Described,
  fieldValue,
  hold,
  integration,
  ofEachContent,
  pin,
  runOf,
  runStatus,
  timeOf,
  uniqueId,
} from './values.ts'

const missed: z.ZodType<Missed> = z.object({
  count,
  fields: counts('Records in which the value of a key differs, by key; `(new)` counts new records.'),
})

/** Makes the schema of a time by the clock of the source, which may be in any time zone. */
const sourceTimeOf = (what: string) =>
  z.string().describe(`${what}, by the clock of the source; such as 2031-05-04 09:00:00`)

const reading: z.ZodType<ReadingFacts> = z.object({
  mark: sourceTimeOf('Latest time of change among the records').nullable(),
  since: sourceTimeOf('Time from which changes were read').nullable(),
  full: z.string().nullable().describe('Why all records were read; null if only changes were read.'),
  lastFull: timeOf('Begin of the last proved full reading').nullable(),
  nextFull: timeOf('Time at which the next full reading is due').nullable(),
})

const howRead = z
  .enum(['full', 'changes'])
  .describe('`changes` if at least one resource was read by changes.')

const readings = z
  .record(z.string(), reading)
  .describe('How each resource was read, by resource; absent if no resource is read by changes.')

const planHash = z.string().nullable().describe('SHA-256 of the plan; null if no plan was made.')

const rollbackTo = runOf('Run whose state a rollback restores').exactOptional()

const excluded = counts('Records that are not synced, by reason.')
const quarantined = count.describe('Records that could not be read.')

const step = z
  .object({
    step: z.enum(['extract', 'refresh', 'stage', 'transform', 'plan', 'apply', 'audit']),
    ms: z.number().nonnegative(),
  })
  .describe('How long a step of a run took.')

export type StepTime = Described<typeof step>

/** The report of a run, in the format of `run --json` and `plan --json`. */
export const report = z
  .object({
    integration,
    run: runOf('Id of the run').nullable(),
    rollbackTo,
    status: z
      .enum([...runStatus.options, 'locked', 'refused', 'stale'])
      .describe(
        'How the run ended. `locked`: another process works on the integration. `refused`: the configuration or the usage is wrong. `stale`: the plan is no longer current.',
      ),
    planHash,
    changes: changesByContent.describe('Number of changes of each content.'),
    excluded,
    quarantined,
    notes: z
      .array(z.string())
      .describe('Sentences for the reader, such as findings for which no guard held the plan.')
      .exactOptional(),
    reading: howRead.exactOptional(),
    missed: z
      .record(z.string(), missed)
      .describe('Records that readings by changes would have missed, by resource.')
      .exactOptional(),
    readings: readings.exactOptional(),
    certified: z.boolean().describe('True if every read was proved complete.'),
    held: hold.nullable(),
    pinned: pin.nullable().describe('The pin because of which the plan was not sent.'),
    output: z.string().nullable().describe("Folder of the run's audit pack."),
    page: z.string().nullable().describe('Page that shows the plan while it waits for a decision.'),
    previewOf: z
      .string()
      .describe('Command that does what a preview shows; absent for a run that is stored.')
      .exactOptional(),
    error: z.string().describe('The error, and what to do about it; only if the run failed.').exactOptional(),
    steps: z.array(step).describe('Steps that this process has done, in their order.'),
  })
  .meta({ id: 'report', description: 'The report of a run.' })

/** The output of `run` and `apply`. */
export const reports = z.object({ runs: z.array(report) })

const change = z
  .object({
    action,
    content,
    uniqueId,
    name: z.string().nullable().describe('Title of the session, or name of the person.'),
    reason: z.string().describe('Why an item is removed.').exactOptional(),
    fields: z.array(
      z.object({ field: z.string(), before: fieldValue.nullable(), after: fieldValue.nullable() }),
    ),
  })
  .meta({
    id: 'change',
    description: 'A change of an item, with every field that differs; null is an absent value.',
  })

export type ShownChange = Described<typeof change>

const plan = z
  .object({
    changes: z.array(change),
    shown: count.describe('Changes in this list.'),
    total: count.describe('Changes of the whole plan.'),
  })
  .nullable()
  .describe('The planned changes; null if no plan was made.')

/** The output of `plan` and `rollback`. */
export const plans = z.object({ runs: z.array(report.extend({ plan })) })

const outcome = change.omit({ fields: true }).extend({
  seq: count.describe('Place of the change in its plan.'),
  code: z.string().nullable().describe('Code of the platform.'),
  detail: z.string().describe('What follows from it.'),
})

const notLanded = z
  .object({ rejected: z.array(outcome), withheld: z.array(outcome) })
  .describe('Changes that the platform rejected, or that the run withheld.')

export type NotLanded = Described<typeof notLanded>
export type ShownOutcome = Described<typeof outcome>

const certificate = z
  .object({
    resource: z.string(),
    certified: z.boolean().describe('True if the end of the resource was proved.'),
    requests: count,
    attempts: count,
    bytes: count,
    elements: count.describe('Records read.'),
    distinctIds: count.nullable(),
    declared: count.nullable().describe('Number of records that the source declared.'),
    end: z.string().nullable().describe('How the end was proved.'),
    detail: z.string(),
    confirmed: z.boolean().nullable().describe('True if missing records were looked for once more.'),
    forgotten: count.describe('Records of forgotten people, which were dropped.').exactOptional(),
  })
  .describe('The proof that a resource was read completely.')

/** The output of `show`. Its report also has counts that reports of `run` leave out. */
export const shown = report.extend({
  kept: count.exactOptional(),
  failed: count.exactOptional(),
  withheld: count.exactOptional(),
  approved: z.boolean().exactOptional(),
  steps: report.shape.steps.exactOptional(),
  command,
  startedBy: z.string(),
  startedAt: timeOf('Begin of the run'),
  plannedAt: timeOf('Time at which the plan was stored').nullable(),
  approvedBy: z.string().nullable(),
  approvedAt: timeOf('Time of the approval').nullable(),
  appliedAt: timeOf('Time at which all changes were answered').nullable(),
  finishedAt: timeOf('Time at which the audit pack was complete').nullable(),
  productVersion: z.string(),
  configHash: z.string(),
  error: z.string().nullable(),
  resources: z.array(certificate),
  notLanded,
  plan,
})

const endOfRun = z.object({
  status: z.enum([...runStatus.options, 'interrupted', 'never run']),
  exitCode: z.int().nullable().describe('Exit code of the command; null while the run is not finished.'),
  changes: count.nullable().describe('Number of changes.'),
  reason: z.string().nullable(),
  pinned: pin.nullable(),
})

export type EndOfRun = Described<typeof endOfRun>

const lastState = endOfRun
  .extend({
    integration,
    run: runOf('The last run').nullable(),
    startedAt: timeOf('Begin of the last run').nullable(),
    lastSuccessAt: timeOf('End of the last successful run').nullable(),
    secondsSinceSuccess: count.nullable(),
  })
  .describe('The last state of an integration.')

const pastRun = endOfRun
  .extend({
    integration,
    run: runOf('Id of the run'),
    command,
    rollbackTo,
    startedAt: timeOf('Begin of the run'),
    finishedAt: timeOf('End of the run').nullable(),
    planHash,
  })
  .describe('One run.')

const runRow = z.union([pastRun, lastState])

/** A row of `runs --json`: either the last state of an integration, or one run. */
export type RunRow = Described<typeof runRow>
export type StateRow = Described<typeof lastState>
export type PastRow = Described<typeof pastRun>

/** The output of `runs`. */
export const runs = z.object({ runs: z.array(runRow) })

const counted = z.object({ create: count, update: count, remove: count })

/** The output of `diff`. */
export const diff = z.object({
  integration,
  from: runOf('First run'),
  to: runOf('Second run'),
  counts: ofEachContent(counted),
  changes: z.array(change),
})

const size: z.ZodType<RunSize> = z.object({
  changes: count,
  removals: count,
  seconds: z.number().nonnegative(),
  hasFailed: z.boolean(),
})

const status = z
  .object({
    integration,
    state: z.enum([
      'up to date',
      'held',
      'incomplete',
      'interrupted',
      'failing',
      'never run',
      'overdue',
      'pinned',
    ]),
    since: timeOf('Begin of the state; for `up to date`, the end of the newest successful run').nullable(),
    reason: z.string().nullable().describe('Why the state is not better.'),
    look: z
      .string()
      .nullable()
      .describe('Command that shows the plan that waits for approval. Run it before the command in `next`.'),
    next: z.string().nullable().describe('Command to run next; null if nothing needs attention.'),
    pinned: pin.nullable(),
    running: z.boolean().describe('True if a run is under way.'),
    run: runOf('Run that determines the state').nullable(),
    exitCode: z.int().nullable(),
    changes: changesByContent.describe('Changes of the run that determines the state, or of its plan.'),
    lastSuccessAt: timeOf('End of the last successful run').nullable(),
    secondsSinceSuccess: count.nullable(),
    cron: z.string().nullable(),
    dueAt: timeOf('Time at which the next scheduled run is or was due').nullable(),
    reading: howRead.nullish(),
    readings: readings.exactOptional(),
    report: z.string().nullable().describe('Path of the report of the run, or of the page of its plan.'),
    toForward: z
      .string()
      .nullable()
      .describe('Path of the page about the waiting plan that has no names of people.'),
    recent: z.array(size).describe('Sizes of the last runs, from the oldest to the newest.'),
  })
  .describe('Status of one integration.')

export type IntegrationStatus = Described<typeof status>

/** The output of `status`: integrations that need somebody come first. */
export const statuses = z.object({ integrations: z.array(status) })
