import type { Command } from 'commander'
import { counted } from '../../transforms/guards/guard-finding.ts'
import { type Purged, purge, scrubPurged } from '../erasure/purge.ts'
import { withoutSending } from '../observe/emit.ts'
import { EXIT } from '../runtime/report.ts'
import { UserError } from '../settings/errors.ts'
import { integrationsOf } from './arguments.ts'
import { type CommandIo, printBoth } from './io.ts'
import { type GlobalOptions, withContext } from './session.ts'

interface Options {
  readonly olderThan: string
  readonly keepRuns: string
  readonly packs?: boolean
  readonly dryRun?: boolean
}

const HELP = `
What is current stays, and so do the run that guards compare with, suppressions of people who were forgotten, the list of runs
and the hashes of their manifests. The next pack says in its manifest what was purged, when and by whom.
Queries as of a purged run have no rows; published.purged_runs has those runs.

Examples:
  event-sync purge --older-than 90d --dry-run
  event-sync purge --older-than 365d --packs summit expo`

export function addPurgeCommand(program: Command, io: CommandIo, exit: (code: number) => void): void {
  program
    .command('purge')
    .description('apply retention: delete what old runs have read, planned and sent')
    .argument('[id...]', 'integrations; left out: all of the configuration')
    .requiredOption('--older-than <days>', 'age in days, such as 90d')
    .option('--keep-runs <count>', 'last runs of each integration that are kept however old they are', '10')
    .option('--packs', 'packs on the disk too: their manifests stay, as links of the chain')
    .option('--dry-run', 'say what would be deleted, and delete nothing')
    .addHelpText('after', HELP)
    .action(async (ids: string[], options: Options) => {
      const global = program.opts<GlobalOptions>()
      const olderThanDays = daysOf(options.olderThan)
      const keepRuns = countOf(options.keepRuns)
      const code = await withContext(global, io, async (context) => {
        const all: Purged[] = []
        const locked: string[] = []
        for (const { id } of integrationsOf(context.config, ids)) {
          const { packs = false, dryRun = false } = options
          const purged = await withoutSending(purge(context, id, { olderThanDays, keepRuns, packs, dryRun }))
          if (purged === null) locked.push(id)
          else all.push(purged)
        }
        print(io, all, locked, global.json)
        if (options.dryRun !== true) await scrubPurged(context, all)
        return locked.length > 0 ? EXIT.locked : EXIT.ok
      })
      exit(code)
    })
}

/** @throws UserError; a day is what the guards look back */
function daysOf(text: string): number {
  const [, days] = /^([1-9]\d{0,4})d$/.exec(text) ?? []
  if (days !== undefined) return Number(days)
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
  printBoth(io, json, all.map(describe).join(''), { purges, locked })
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
