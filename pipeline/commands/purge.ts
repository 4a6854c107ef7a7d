import { Option } from 'commander'
import { findRun } from '../../loaders/ledger/ledger.ts'
import { counted } from '../../transforms/texts/counted.ts'
import type { Context } from '../context/run-context.ts'
import { withoutSending } from '../observe/emit.ts'
import { type Purged, purge, scrubPurged } from '../people/purge.ts'
import { applyRetention, isNothing, merged, previewRetention } from '../people/retention.ts'
import { EXIT } from '../runtime/report.ts'
import { toVisibleJson } from '../runtime/visible.ts'
import { UserError } from '../settings/errors.ts'
import { days, daysIn } from '../settings/values.ts'
import { IDS, integrationOf, reasonOption } from './arguments.ts'
import { type Call, defineCommand } from './define-command.ts'
import type { CommandIo } from './io.ts'

interface Options {
  readonly olderThan?: string
  readonly keepRuns?: string
  readonly packs?: boolean
  readonly dryRun?: boolean
  readonly reason?: string
}

const HELP = `
What is current stays, and so do the run that guards compare with, suppressions of people who were forgotten, the list of runs
and the hashes of their manifests. The next pack says in its manifest what was purged, when and by whom.
Queries as of a purged run have no rows; published.purged_runs has those runs.
Without --older-than, what is older than \`retention\` in the configuration is deleted, as workers do a little at a time.

Examples:
  event-sync purge
  event-sync purge --older-than 90d --dry-run
  event-sync purge --older-than 365d --packs summit expo`

export const addPurgeCommand = defineCommand({
  name: 'purge',
  summary: 'apply retention: delete what old runs have read, planned and sent',
  help: HELP,
  args: [IDS],
  options: [
    new Option(
      '--older-than <days>',
      'age in days, such as 90d; left out: the ages in `retention` of the configuration',
    ),
    new Option(
      '--keep-runs <count>',
      'with --older-than: last runs of each integration that are kept however old they are (default: 10)',
    ),
    new Option(
      '--packs',
      'with --older-than: packs on the disk too: their manifests stay, as links of the chain',
    ),
    reasonOption('why, for the log'),
    new Option('--dry-run', 'say what would be deleted, and delete nothing'),
  ],
  async run({ options, open, io, global }: Call<Options>, ids: readonly string[]) {
    const { dryRun = false } = options
    const purgeOne = purgeOf(options)
    return open(async (context) => {
      const all: Purged[] = []
      const locked: string[] = []
      for (const id of await idsOf(context, ids)) {
        const purged = await withoutSending(purgeOne(context, id))
        if (purged === null) locked.push(id)
        else all.push(purged)
      }
      print(io, all, locked, global.json)
      if (!dryRun)
        await scrubPurged(
          context,
          all.map(({ integration }) => integration),
        )
      return locked.length > 0 ? EXIT.locked : EXIT.ok
    })
  },
})

type PurgeOne = (context: Context, integrationId: string) => Promise<Purged | null>

/** @throws UserError if the options do not fit together */
function purgeOf({ olderThan, keepRuns, packs = false, dryRun = false, reason }: Options): PurgeOne {
  if (olderThan !== undefined) {
    const olderThanDays = daysOf(olderThan)
    const asked = {
      olderThanDays,
      keepRuns: countOf(keepRuns ?? '10'),
      packs,
      dryRun,
      reason: reason ?? null,
    }
    return (context, id) => purge(context, id, asked)
  }
  if (keepRuns !== undefined || packs || reason !== undefined)
    throw new UserError(
      'usage',
      '--keep-runs, --packs and --reason need --older-than',
      'add it, or omit them',
    )
  return (context, id) => purgeByRetention(context, id, dryRun)
}

/** Deletes everything that is older than the retention in the configuration. */
async function purgeByRetention(context: Context, id: string, dryRun: boolean): Promise<Purged | null> {
  const { retention } = context.config
  if (retention === undefined)
    throw new UserError(
      'usage',
      'the configuration has no `retention`, and --older-than is missing',
      'give --older-than 90d, or set `retention: {history: 400d, packs: 400d}`',
    )
  if (dryRun) return previewRetention(context, id, retention)
  const most = Number.POSITIVE_INFINITY
  const first = await applyRetention(context, id, { retention, most })
  if (first === null) return null
  const all: [Purged, ...Purged[]] = [first]
  for (let last: Purged | null = first; last !== null && !isNothing(last); ) {
    last = await applyRetention(context, id, { retention, most })
    if (last !== null) all.push(last)
  }
  return merged(all)
}

/**
 * Returns the given ids, or the ids of all configured integrations if none is given. A given id may belong to
 * an integration that exists only in the database.
 */
async function idsOf({ config, database }: Context, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return config.integrations.map(({ id }) => id)
  for (const id of ids) {
    if ((await findRun(database.kysely, { integrationId: id })) === undefined) integrationOf(config, id)
  }
  return ids
}

/**
 * Reads an age, as a number of days. The minimum is 1 day, because guards (checks that can hold a plan) count
 * the removals of the last 24 hours.
 *
 * @throws UserError if the text is not a number of days
 */
function daysOf(text: string): number {
  if (days().safeParse(text).success) return daysIn(text)
  throw new UserError(
    'usage',
    `--older-than: expected a number of days such as 90d (minimum 1d), got "${text}"`,
  )
}

function countOf(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new UserError('usage', `--keep-runs: expected a number of runs such as 10 (minimum 1), got "${text}"`)
}

function print(io: CommandIo, all: readonly Purged[], locked: readonly string[], json: boolean): void {
  const purges = all.map(({ classes, ...rest }) => ({
    ...rest,
    classes: Object.fromEntries(classes.map(({ name, rows }) => [name, rows])),
  }))
  const output = json ? io.stderr : io.stdout
  output.write(all.map(describe).join(''))
  if (json) io.stdout.write(`${toVisibleJson({ purges, locked })}\n`)
  for (const id of locked) io.stderr.write(`${id} is locked by another process; wait until it ends\n`)
}

function describe(purged: Purged): string {
  const { integration, beforeRun, classes, packs, dryRun } = purged
  if (beforeRun === null) return `${integration}: no run is old enough\n`
  const lines = [`${integration}: ${dryRun ? 'would be purged' : 'purged'}, of runs before ${beforeRun}`]
  for (const { name, rows } of classes) {
    const count = Object.values(rows).reduce((sum, one) => sum + one, 0)
    lines.push(`  ${name.padEnd(32)} ${counted(count, 'row')}`)
  }
  lines.push(`  ${'packs'.padEnd(32)} ${packs.length}`)
  return `${lines.join('\n')}\n`
}
