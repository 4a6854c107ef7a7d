import { Argument, Option } from 'commander'
import {
  type ComparedRuns,
  countDifferences,
  findDifferences,
} from '../../loaders/explanation/differences.ts'
import type { RunRecord } from '../../loaders/ledger/ledger.ts'
import { fieldCell, toCsv } from '../../loaders/packs/csv-files/csv.ts'
import type { PlannedCount } from '../../loaders/packs/plan-changes.ts'
import { type Action, CONTENTS, type Content, type Db } from '../../sql/tables.ts'
import { EXIT } from '../runtime/report.ts'
import { toVisibleJson } from '../runtime/visible.ts'
import type { ShownChange } from '../schemas/runs.ts'
import { UserError } from '../settings/errors.ts'
import { RUN, requireRun, requireRunId } from './arguments.ts'
import { type Call, defineCommand } from './define-command.ts'
import type { CommandIo } from './io.ts'
import {
  type ActionWords,
  countOf,
  describeChange,
  describeCounts,
  describeRest,
  PLAN_OPTIONS,
  type PlanOutputOptions,
  type PlanView,
  planView,
  toShownChange,
} from './plan-output.ts'
import { withStored } from './session.ts'

const HELP = `
Compares what the platform should have after each run, whether or not it took the changes. + create: only the second run wants the item;
- remove: only the first. If the second run is the older one, it shows the reverse. Only stored data is read. --json and --csv have all
differences, whatever --sample is. Exit code 0 also if there are differences.

Examples:
  event-sync diff 00000001 00000002                      what changed between the two runs
  event-sync diff 00000001 00000002 --content agenda --sample 50
  event-sync diff 00000001 00000002 --csv > changes.csv  one row a changed field, for a spreadsheet
  event-sync diff 00000001 00000002 --json               for machines`

interface Options extends PlanOutputOptions {
  readonly csv?: boolean
}

export const addDiffCommand = defineCommand({
  name: 'diff',
  summary: 'what changed between two runs: items added, changed and removed, field by field',
  help: HELP,
  args: [
    new Argument('<from>', RUN.description),
    new Argument('<to>', 'the other run of the same integration, in the same way'),
  ],
  options: [...PLAN_OPTIONS, new Option('--csv', 'CSV on standard output, one row a changed field')],
  run({ options, io, global }: Call<Options>, from: string, to: string) {
    for (const text of [from, to]) requireRunId(text)
    return withStored(global, io, async (db) => {
      const records = [await requireRun(db, from), await requireRun(db, to)] as const
      const print = options.csv === true ? printCsv : global.json ? printJson : printText
      await print(io, db, requireComparable(...records), planView(options, global, io))
      return EXIT.ok
    })
  },
})

/** Two runs that can be compared, with the start time of each. */
interface Compared extends ComparedRuns {
  readonly startedAt: readonly [from: string, to: string]
}

/**
 * Checks that two runs can be compared.
 *
 * @throws UserError if the runs belong to different integrations, or if the wanted items of one run are not
 *   stored
 */
function requireComparable(from: RunRecord, to: RunRecord): Compared {
  const { integration_id: integrationId } = from
  if (to.integration_id !== integrationId)
    throw new UserError(
      'usage',
      `run ${from.run_id} is of ${integrationId}, and run ${to.run_id} is of ${to.integration_id}`,
      `give two runs of one integration; \`event-sync runs ${integrationId}\` lists them`,
    )
  for (const { run_id: run, planned_at: plannedAt, purged_at: purgedAt, status } of [from, to]) {
    const other = `give another run; \`event-sync runs ${integrationId}\` lists them`
    if (purgedAt !== null)
      throw new UserError(
        'state',
        `run ${run} of ${integrationId} was purged at ${purgedAt.toISOString()}: what it wanted is no longer stored`,
        other,
      )
    if (plannedAt === null)
      throw new UserError('state', `run ${run} of ${integrationId} made no plan (${status})`, other)
  }
  const startedAt = [from.started_at.toISOString(), to.started_at.toISOString()] as const
  return { integrationId, from: from.run_id, to: to.run_id, startedAt }
}

const WORDS: ActionWords = {
  create: 'created',
  update: 'updated',
  handover: 'handed over',
  remove: 'removed',
}

async function printText(io: CommandIo, db: Db, runs: Compared, view: PlanView): Promise<void> {
  const print = (text: string) => io.stdout.write(text)
  const { integrationId, from, to, startedAt } = runs
  const counts = await countDifferences(db, runs)
  print(`${integrationId}: from run ${from} of ${startedAt[0]} to run ${to} of ${startedAt[1]}\n\n`)
  let hint = ''
  for (const content of view.sample === 0 ? [] : view.contents) {
    const differing = counts.filter((row) => row.content === content)
    if (differing.length === 0) continue
    print(`${content}\n`)
    const shown: Action[] = []
    for await (const page of findDifferences(db, runs, content)) {
      const changes = page.slice(0, view.sample - shown.length)
      const text = changes.map((change) => describeChange(change, view.showPersonal, view.paint)).join('')
      print(text)
      hint += view.hint(text)
      shown.push(...changes.map(({ action }) => action))
      // The program that reads the output, for example `head`, has closed the pipe.
      if (!io.stdout.writable) return
      if (shown.length === view.sample) break
    }
    const command = `event-sync diff ${from} ${to} --content ${content}`
    print(`${describeRest(command, differing, shown, WORDS)}\n`)
  }
  print(`${hint}${describeDifferences(counts)}`)
}

/** Returns one line with the number of differences of each kind. */
function describeDifferences(counts: readonly PlannedCount[]): string {
  if (counts.length === 0) return 'No difference: both runs want the same items with the same fields.\n'
  return `Differences: ${describeCounts(counts, WORDS)}\n`
}

async function printJson(io: CommandIo, db: Db, runs: Compared, view: PlanView): Promise<void> {
  const { integrationId: integration, from, to } = runs
  const counts = countsByContent(await countDifferences(db, runs))
  io.stdout.write(`${toVisibleJson({ integration, from, to, counts }).slice(0, -1)},"changes":[`)
  let isFirst = true
  for await (const changes of shownDifferences(db, runs, view)) {
    const text = changes.map(toVisibleJson).join()
    io.stdout.write(isFirst ? text : `,${text}`)
    io.stderr.write(view.hint(text))
    isFirst = false
    if (!io.stdout.writable) return
  }
  io.stdout.write(']}\n')
}

const COLUMNS = ['integration', 'content', 'unique_id', 'name', 'action', 'field', 'before', 'after']

async function printCsv(io: CommandIo, db: Db, runs: Compared, view: PlanView): Promise<void> {
  io.stdout.write(toCsv([COLUMNS]))
  for await (const changes of shownDifferences(db, runs, view)) {
    const text = toCsv(changes.flatMap((change) => rowsOf(runs.integrationId, change)))
    io.stdout.write(text)
    io.stderr.write(view.hint(text))
    if (!io.stdout.writable) return
  }
}

function rowsOf(integration: string, { content, uniqueId, name, action, fields }: ShownChange) {
  return fields.map(({ field, before, after }) => [
    integration,
    content,
    uniqueId,
    name,
    action,
    field,
    fieldCell(before ?? undefined),
    fieldCell(after ?? undefined),
  ])
}

async function* shownDifferences(
  db: Db,
  runs: ComparedRuns,
  { contents, showPersonal }: PlanView,
): AsyncGenerator<readonly ShownChange[]> {
  for (const content of contents)
    for await (const page of findDifferences(db, runs, content))
      yield page.map((change) => toShownChange(change, showPersonal))
}

function countsByContent(counts: readonly PlannedCount[]) {
  const of = (content: Content) => {
    const some = counts.filter((row) => row.content === content)
    return {
      create: countOf(some, 'create'),
      update: countOf(some, 'update'),
      remove: countOf(some, 'remove'),
    }
  }
  return Object.fromEntries(CONTENTS.map((content) => [content, of(content)]))
}
