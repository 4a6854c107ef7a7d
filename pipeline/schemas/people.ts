/** Schemas of the `--json` output about people and old data. */
import { z } from 'zod'
import { report } from './runs.ts'
import { count, counts, type Described, integration, runOf } from './values.ts'

const rewritten = z.object({
  reissued: z.array(runOf('Run whose pack was rewritten')),
  unsigned: z.array(z.string()).describe('Packs that had a signature and now have none.'),
  left: z
    .array(z.object({ pack: z.string(), why: z.string() }))
    .describe('Packs that could not be rewritten.'),
})

const erased = z.object({
  integration,
  status: z
    .enum(['forgotten', 'again', 'unknown'])
    .describe('`unknown`: no such person is known. `again`: the person was forgotten before.'),
  places: counts('Rows with data of the person, by table.'),
  sharing: count.describe('Records of others with the same e-mail address.'),
  mentions: count.describe('Records of others that have the address or the id in a text.'),
  idMentions: count.describe('Records of others that have the id in a field that may not refer to people.'),
  takenIn: z
    .array(z.string())
    .describe('Sentences about suppressions beside the packs that this database did not have.'),
  onPlatform: count.describe("The person's items that the platform still has."),
  alsoReadBy: z.array(z.string()).describe('Other integrations that have read the same source event.'),
  exports: z
    .array(z.string())
    .describe(
      'Folders of exported files that were deleted. `export` can write them again, without the person.',
    ),
})

/** The result of erasing a person from the database. */
export type Erased = Pick<
  Described<typeof erased>,
  'status' | 'places' | 'sharing' | 'mentions' | 'idMentions'
>

export type ErasedPerson = Described<typeof erased>

/** The output of `forget`. */
export const forgotten = erased.extend({
  packs: rewritten,
  operationsNaming: z
    .array(runOf("Run whose operations.jsonl contains the person's id"))
    .describe('The platform needs the id to remove the person.'),
  notReached: z.array(z.string()).describe('Places where data of the person may remain.'),
  runs: z.array(report),
})

export type ForgottenJson = Described<typeof forgotten>

const purgedRows = z.object({
  integration,
  beforeRun: runOf('The oldest run that is kept completely')
    .nullable()
    .describe('Null if no run is old enough.'),
  classes: z.record(z.string(), counts('Rows by table.')).describe('Deleted rows by class of data.'),
  packs: z.array(z.object({ run: runOf('Run of the pack'), manifestSha256: z.string() })),
  dryRun: z.boolean(),
})

/** The output of `purge`. */
export const purges = z.object({
  purges: z.array(purgedRows),
  locked: z.array(z.string()).describe('Integrations that another process works on.'),
})

const endedEvent = z.object({
  integration,
  rows: counts('Deleted rows by table.'),
  packs: z.array(runOf('Run of whose pack only manifest and signature remain')),
  keptFor: z
    .array(z.string())
    .describe('Other integrations of the same source event, which still keep the same people out.'),
})

/** The result of ending an event. */
export type Ended = Described<typeof endedEvent>

/** The output of `erase`. */
export const ended = endedEvent.extend({
  left: z.array(z.string()).describe('Places where data of the event may remain.'),
})

const kept = z.object({
  ids: count.describe('Ids of forgotten people.'),
  addresses: count.describe('Addresses of forgotten people.'),
  items: count.describe('Items that a user has suppressed.'),
})

/** Number of people and items that are kept out. */
export type SuppressionCounts = Described<typeof kept>

/** The output of `suppressions`, for each of its actions. */
export const suppressions = z.union([
  kept.extend({ action: z.literal('export'), file: z.string() }),
  kept.extend({
    action: z.literal('import'),
    file: z.string(),
    unread: z.array(z.string()).describe('Source events that no integration reads.'),
  }),
  kept
    .extend({ file: z.string(), sha256: z.string(), revision: count })
    .partial()
    .extend({ action: z.literal('renew'), integration }),
])
