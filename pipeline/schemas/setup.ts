/** Schemas of the `--json` output about the setup and the operation of integrations. */
import { z } from 'zod'
import { ACTIONS } from '../../sql/tables.ts'
import {
  count,
  counts,
  type Described,
  integration,
  ofEachContent,
  pin,
  runOf,
  runStatus,
  timeOf,
} from './values.ts'

const check = z
  .object({
    integration: integration.nullable().describe('Null for a rule about all integrations.'),
    rule: z.string().describe('Name of the rule; it never changes.'),
    clause: z.string().nullable().describe('Clause of the specification.'),
    status: z
      .enum(['ok', 'failed', 'not checkable'])
      .describe('`not checkable`: what came does not show if the rule is met. This is not an error.'),
    seen: z.string(),
    todo: z.string().nullable(),
  })
  .describe('The result of a rule.')

export type CheckStatus = Described<typeof check>['status']

const contentCounts = z
  .object({ synced: count, excluded: counts('Excluded records by reason.'), quarantined: count })
  .describe('Records that the next run would sync, exclude and quarantine.')

const countsByContent = ofEachContent(contentCounts.exactOptional())

/** How many records of one content the next run would sync, exclude and quarantine. */
export type ContentCounts = Described<typeof contentCounts>
/** The counts for each content. A content that could not be read has no counts. */
export type Counts = Described<typeof countsByContent>

/** The output of `check`. */
export const checks = z.object({
  checks: z.array(check),
  integrations: z
    .record(z.string(), countsByContent)
    .describe('Counts by integration and content. A content that could not be read has no counts.'),
})

export type ChecksJson = Described<typeof checks>

const receiver = z.object({
  receiver: z.string().describe('Key in event-sync.yaml, for example `webhook[1]`.'),
  address: z.string().describe('Reference to the secret address, or host of the address.'),
  accepted: z.boolean(),
  reason: z.string().nullable().describe('Why the receiver did not accept the message.'),
})

export type TestedReceiver = Described<typeof receiver>

/** The output of `notify`. */
export const receivers = z.object({ receivers: z.array(receiver) })

/** The output of `pause`. */
export const paused = z.object({
  integration,
  pinned: pin.nullable().describe('Null if somebody else has resumed the integration since.'),
  underWay: z.string().nullable().describe('What happens to a run that began before the pause.'),
})

/** The output of `resume`. */
export const resumed = z.object({
  integration,
  changed: z.boolean().describe('False if the integration was not pinned.'),
  pinned: pin.nullable().describe('The pin that was ended.'),
})

const actionRow = z.object({
  actionId: z.string(),
  at: timeOf('Time of the action'),
  action: z.enum(ACTIONS),
  operator: z.string(),
  run: z.string().nullable(),
  until: z.string().nullable(),
  reason: z.string().nullable(),
  detail: z.string().nullable(),
})

export type ActionRow = Described<typeof actionRow>

/** The output of `log`. */
export const log = z.object({ integration, actions: z.array(actionRow) })

const configPlace = z.object({ file: z.string(), path: z.string(), line: count, column: count })

const renaming = z.object({
  integration,
  formerId: z.string(),
  renamedAt: timeOf('Time of the renaming'),
  isNew: z
    .boolean()
    .describe('False if an earlier call has already renamed the integration in the database.'),
  rows: counts('Renamed rows by table.'),
  stalePlan: runOf('Run whose plan waited and can no longer be applied').nullable(),
  folder: z.string().describe('Folder of the packs.'),
})

/** The result of renaming an integration. */
export type Renamed = Described<typeof renaming>

/** The output of `rename`. */
export const renamed = renaming.extend({
  todo: z.array(configPlace).describe('Places of the configuration that still have the former id.'),
})

const copiedTable = z.object({
  table: z.string(),
  rows: count,
  checksum: z.string(),
  isEarlier: z.boolean().describe('True if an earlier move copied the table before it was interrupted.'),
})

/** The output of `move`. */
export const moved = z.object({
  to: z.string().describe('Reference to the URL of the new database.'),
  moved: z.boolean().describe('False if an earlier command had already moved the data.'),
  movedAt: timeOf('Time of the move'),
  moveId: z.string().exactOptional(),
  configuration: z
    .object({
      place: z.string().nullable().describe('FILE:LINE:COLUMN; null if the configuration names no database.'),
      line: z.string().describe('The new line.'),
    })
    .exactOptional(),
  tables: z.array(copiedTable).exactOptional(),
})

const scheduled = z.object({
  integration,
  cron: z.string().nullable(),
  timeZone: z.string().nullable(),
  offsetSeconds: count.nullable(),
  next: timeOf('Time of the next run').nullable(),
  nextLocal: z.string().nullable(),
  lastRun: z
    .object({ run: runOf('Id of the run'), status: runStatus, startedAt: timeOf('Begin of the run') })
    .nullable(),
  givenUp: z
    .object({ at: timeOf('Time of the last try'), tries: count, error: z.string() })
    .nullable()
    .describe('The last scheduled run that no worker could do.'),
})

export type Scheduled = Described<typeof scheduled>

/** The output of `schedule`. */
export const schedules = z.object({
  schedules: z.array(scheduled),
  removed: z.array(z.string()).describe('Integrations that are no longer scheduled.'),
  called: z.array(z.string()).describe('Integrations of which a run is due now.'),
})

/** The output of `init`. */
export const written = z.union([
  z.object({ config: z.string(), schema: z.string() }),
  z.object({ config: z.string(), added: z.string() }),
])

/** The output of `sql`: one object for each row. */
export const rows = z.object({ rows: z.array(z.record(z.string(), z.unknown())) })

const age = z.object({ count, period: z.literal('hour') })

const dbtTests = z
  .array(z.record(z.string(), z.looseObject({})))
  .describe('Tests of dbt: the name of each test, with its arguments and configuration.')
  .exactOptional()

const dbtColumn = z.object({
  name: z.string(),
  description: z.string(),
  data_type: z.string(),
  config: z.object({ meta: z.object({ personal: z.literal(true) }) }).exactOptional(),
  data_tests: dbtTests,
})

const dbtTable = z.object({
  name: z.string(),
  identifier: z.string().describe('Name of the view in the database, if it is not `name`.').exactOptional(),
  description: z.string(),
  columns: z.array(dbtColumn).exactOptional(),
  config: z
    .object({
      loaded_at_field: z.string(),
      freshness: z.object({ warn_after: age, error_after: age, filter: z.string() }),
    })
    .exactOptional(),
  data_tests: dbtTests,
})

export type DbtTable = Described<typeof dbtTable>
export type DbtColumn = Described<typeof dbtColumn>

/** The output of `dbt-sources`, which dbt reads as YAML. */
export const dbtSources = z.object({
  version: z.literal(2),
  sources: z.array(
    z.object({ name: z.string(), schema: z.string(), description: z.string(), tables: z.array(dbtTable) }),
  ),
})

export type DbtSources = Described<typeof dbtSources>

/** The output of `serve-database`, printed when clients can connect. */
export const servedDatabase = z.object({
  host: z.string(),
  port: z.int(),
  database: z.string(),
  user: z.string().describe('Role of the clients.'),
  password: z.string().describe('File or reference that has the password, not the password.'),
})

export type ServedDatabase = Described<typeof servedDatabase>

/** The output of a command that could not do its work. */
export const failure = z.object({ error: z.string().describe('The error, and what to do about it.') })
