import { resolve } from 'node:path'
import { InvalidArgumentError, Option } from 'commander'
import { findRenamedFrom } from '../../loaders/ledger/former-ids.ts'
import { findRun } from '../../loaders/ledger/ledger.ts'
import type { EvidenceIndex, Period } from '../../loaders/verify/evidence-index.ts'
import { counted } from '../../transforms/texts/counted.ts'
import { findNewId } from '../context/current-id.ts'
import { type Context, timestamp } from '../context/run-context.ts'
import { type Evidence, makeEvidence } from '../evidence/evidence.ts'
import { withoutSending } from '../observe/emit.ts'
import { UserError } from '../settings/errors.ts'
import { ID, integrationOf } from './arguments.ts'
import { type Call, defineCommand } from './define-command.ts'

const HELP = `
The folder has the packs of runs that landed on these days (UTC, both included), all their changes and certificates in one file each, what
operators did, the configurations, the rules, the manifests of the packs before and after, and an index that is signed with audit.signingKey.
Its README.txt says how to read it, and how to check it alone, with \`event-sync verify DIR\` or its verify.py. It appears when it is complete.

Examples:
  event-sync evidence summit --from 2031-01-01 --to 2031-03-31 -o evidence-q1
  event-sync evidence summit --from 2031-02-07 --to 2031-02-07 -o evidence-of-a-day --json`

interface Options extends Period {
  readonly output: string
}

export const addEvidenceCommand = defineCommand({
  name: 'evidence',
  summary: 'put the packs of a period in a folder for an auditor, with all that explains them',
  help: HELP,
  args: [ID],
  options: [
    new Option('--from <date>', 'first day, such as 2031-01-01').argParser(toDay).makeOptionMandatory(),
    new Option('--to <date>', 'last day').argParser(toDay).makeOptionMandatory(),
    new Option('-o, --output <dir>', 'folder to make; it must not exist, or be empty').makeOptionMandatory(),
  ],
  run({ options, io, open }: Call<Options>, id: string) {
    const { from, to, output } = options
    if (from > to)
      throw new UserError('usage', `--from ${from} is after --to ${to}`, 'exchange them; nothing was written')
    const folder = resolve(io.cwd, output)
    return open(async (context) => {
      await requireKnown(context, id)
      const today = timestamp(context.environment).slice(0, 10)
      if (from > today)
        throw new UserError(
          'usage',
          `--from ${from} is in the future: it is ${today} (UTC)`,
          'nothing was written',
        )
      const evidence = await withoutSending(makeEvidence(context, id, { from, to }, folder))
      return { text: describe(evidence, folder), json: toJson(evidence, folder) }
    })
  },
})

/**
 * Requires an id of an integration that has runs or is configured. Runs stay in the database after their
 * integration has left the configuration. Any other id is a typing error, or a former id.
 *
 * @throws UserError
 */
async function requireKnown({ config, database }: Context, id: string): Promise<void> {
  if ((await findRun(database.kysely, { integrationId: id })) !== undefined) return
  const configured = config.integrations.find((one) => one.id === id)
  const renamed =
    configured === undefined
      ? (await findRenamedFrom(database.kysely, id))[0]
      : await findNewId(database.kysely, configured)
  if (renamed == null) {
    integrationOf(config, id)
    return
  }
  const { integrationId } = renamed
  const todo = `name ${integrationId}: its evidence has the packs of both ids; nothing was written`
  throw new UserError('usage', `${id} was renamed to ${integrationId}`, todo)
}

/** Reads a day. @throws InvalidArgumentError if the calendar does not have it */
function toDay(text: string): string {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text)
  const time = isDay ? Date.parse(`${text}T00:00:00.000Z`) : Number.NaN
  if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(text)) return text
  throw new InvalidArgumentError('It must be a day, such as 2031-01-31.')
}

function toJson({ index, isSigned }: Evidence, output: string) {
  const { integration, from, to, packs, before, after, unknownConfigurations, files } = index
  const purged = packs.flatMap(({ run, purge }) => (purge === null ? [] : run))
  const rows = Object.fromEntries(
    files.flatMap(({ name, rows }) => (rows === undefined ? [] : [[name, rows]])),
  )
  const runs = packs.map(({ run }) => run)
  const of = { integration, from, to, output, runs, purged, before, after, rows, isSigned }
  return { ...of, unknownConfigurations, todo: todoOf(index) }
}

function describe({ index, isSigned }: Evidence, folder: string): string {
  const { integration, from, to, packs, before, after, unknownConfigurations, files } = index
  const rowsOf = (name: string) => files.find((file) => file.name === name)?.rows ?? 0
  const rows = (name: string) => `${name}: ${counted(rowsOf(name), 'row')}`
  const [first, last] = [packs[0], packs.at(-1)]
  const upTo = first === last ? '' : ` to run ${last?.run}`
  const which = first === undefined ? 'nothing landed' : `run ${first.run}${upTo}`
  const begins =
    first === undefined ? 'no run landed in the period or before it' : 'the chain begins in the period'
  const purged = packs.filter(({ purge }) => purge !== null).length
  const todo = todoOf(index)
  return [
    `${integration}: evidence of ${from} to ${to} in ${folder}`,
    `  packs      ${packs.length}: ${which}`,
    ...(purged === 0 ? [] : [`  purged     ${purged} of them: only their manifests are left`]),
    `  before     ${describeAnchor(before, `none: ${begins}`)}`,
    `  after      ${describeAnchor(after, 'none yet, so nobody can see if the last packs are missing')}`,
    `  rows       ${['changes.csv', 'certificates.csv', 'actions.csv'].map(rows).join('; ')}`,
    ...(unknownConfigurations.length === 0
      ? []
      : [
          `  unknown    ${counted(unknownConfigurations.length, 'configuration')}: the database has only the hash`,
        ]),
    `  signed     ${isSigned ? 'yes' : 'no: audit.signingKey is not set'}`,
    ...(todo === null ? [] : [`  to do      ${todo}`]),
    '',
  ].join('\n')
}

function todoOf({ to, madeAt }: EvidenceIndex): string | null {
  return to >= madeAt.slice(0, 10) ? 'the period is not over; make it again when it is' : null
}

function describeAnchor(anchor: EvidenceIndex['before'], none: string): string {
  if (anchor === null) return none
  return anchor.run === null ? `a pack with SHA-256 ${anchor.manifestSha256}` : `run ${anchor.run}`
}
