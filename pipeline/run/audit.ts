import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Kysely } from 'kysely'
import { hashFile } from '../../loaders/files/read.ts'
import { recordRenamingsForManifest } from '../../loaders/ledger/former-ids.ts'
import {
  findLastPacked,
  findRun,
  lastManifest,
  type RunRecord,
  recordPack,
  shareAnswers,
  updateRun,
} from '../../loaders/ledger/ledger.ts'
import { findBase } from '../../loaders/ledger/stored-plan.ts'
import { findFigures, storeFigures } from '../../loaders/packs/csv-files/rows.ts'
import { findPackBefore } from '../../loaders/packs/earlier-packs.ts'
import { recordPurgesForManifest } from '../../loaders/people/purge.ts'
import { OPERATIONS_FILE } from '../../loaders/platform/jsonl.ts'
import { endOfChain } from '../../loaders/verify/gap.ts'
import type { KnownSuppressions, Tables } from '../../sql/tables.ts'
import { findSettledRun } from '../../transforms/plan/settled.ts'
import {
  CHECK_MEASURE,
  type Figure,
  isOpen,
  leavesNothing,
  reconcile,
} from '../../transforms/reconciliation/reconcile.ts'
import { resolveSigner } from '../config/signing.ts'
import { countAtPlatform, type PlatformCounts } from '../context/connect.ts'
import { packFolder, requireWritableOutput } from '../context/pack-folder.ts'
import { type RunContext, timestamp } from '../context/run-context.ts'
import { writeOperationsOf, writePackOf } from '../packs/pack.ts'
import { writeSuppressions } from '../people/beside-packs.ts'
import { sizeOf } from '../runtime/disk-room.ts'
import { transformsOf } from '../sources/registry.ts'
import { type BrokenPromise, findBrokenPromises } from './sql-checks.ts'

/**
 * Reconciles the numbers of a run whose plan was applied, writes the audit pack, and ends the run.
 *
 * @param isContinued true if another process applied the plan; the operations file is then written again
 * @throws if two numbers differ that must be equal, or if a check in `sql/checks/after-apply` finds rows. The
 *   pack is then already written and names them, and the run has ended.
 */
export async function audit(context: RunContext, isContinued: boolean): Promise<void> {
  const { database, integrationId, runId } = context
  // Somebody may have deleted or replaced the folder after the plan was applied.
  await requireWritableOutput(context)
  const counted = await countAtPlatform(context)
  const suppressions = await writeSuppressions(context, context.integration)
  const altered = await writeOperationsAgain(context, isContinued)
  const notes = [...counted.notes, ...altered]
  const { run, figures, broken } = await database.transaction((transaction) =>
    freezeFigures(transaction, context, { ...counted, notes }, suppressions),
  )
  context.at('figures stored')
  const folder = packFolder(context)
  const manifestSha256 = await writePackOf(
    database.kysely,
    run,
    { folder, mode: context.config.output.mode },
    resolveSigner(context.config, context.secrets),
    () => context.at('pack file written'),
    await findPackBefore(database.kysely, run, (runId) => packFolder({ ...context, runId })),
  )
  context.at('pack written')
  const open = figures.filter(isOpen)
  await database.transaction(async (transaction) => {
    await recordPack(transaction, context, manifestSha256)
    await updateRun(transaction, integrationId, runId, {
      status: open.length === 0 ? 'finished' : 'failed',
      error: null,
      database_bytes: database.directory === null ? null : sizeOf(database.directory),
    })
  })
  if (open.length > 0) throw new Error(describe(open, broken))
  context.at('run finished')
}

/**
 * Writes the operations file again, from data in the database, if it is missing or if another process wrote
 * it.
 *
 * @returns a note if the existing file had other content, because somebody may already have delivered it to
 *   the platform
 */
async function writeOperationsAgain(context: RunContext, isContinued: boolean): Promise<readonly string[]> {
  const { integrationId, runId, database } = context
  const folder = packFolder(context)
  const path = join(folder, OPERATIONS_FILE)
  const isThere = existsSync(path)
  if (isThere && !isContinued) return []
  const before = isThere ? await hashFile(path) : null
  const run = await findRun(database.kysely, { integrationId, runId })
  if (run !== undefined) await writeOperationsOf(context, run, folder)
  if (before === null || (await hashFile(path)).sha256 === before.sha256) return []
  return [
    `${path} was not as this run wrote it, and was written again; see what of it the platform was given`,
  ]
}

/**
 * Stores the data of the pack that the database does not have yet: the figures and the end of the run. If the
 * pack is written again, for example after a crash, it then has the same bytes.
 */
async function freezeFigures(
  transaction: Kysely<Tables>,
  context: RunContext,
  { counts: platformCounts, notes }: PlatformCounts,
  suppressions: KnownSuppressions | null,
) {
  const { config, integrationId, runId, environment, connected } = context
  const key = { integrationId, runId }
  const run = await findRun(transaction, key)
  if (run === undefined) throw new Error(`run ${runId} of ${integrationId} is not in the ledger`)
  if (run.finished_at !== null) return { run, figures: await findFigures(transaction, key), broken: [] }
  const finishedAt = timestamp(environment)
  const settled = await findSettledRun(transaction, key)
  const sums = await reconcile(transaction, {
    ...key,
    settled: settled === null ? [] : await findFigures(transaction, { ...key, runId: settled }),
    tableOf: connected.tables,
    resourceOf: new Map([...connected.resourceOf].filter(([content]) => run.contents.includes(content))),
    platformCounts,
    hasRead: run.command !== 'rollback',
  })
  const made = { decisions: true, plan: settled === null }
  const broken = await findBrokenPromises(transaction, 'after-apply', key, transformsOf(config), made)
  // A check that found rows becomes a figure that does not match.
  const figures = [
    ...sums,
    ...broken.map(({ name, count }): Figure => {
      const measure = `${CHECK_MEASURE}${name}`
      return { content: '', resource: '', measure, count: BigInt(count), expected: 0n }
    }),
  ]
  const lastPacked = await findLastPacked(transaction, integrationId)
  const figuresOf = await storeFigures(transaction, key, figures, lastPacked)
  const answersOf = await shareAnswers(transaction, key, lastPacked)
  await recordPurgesForManifest(transaction, key)
  await recordRenamingsForManifest(transaction, key)
  const { personalData, excel } = config.audit
  const added = [...notes, ...noteOfGap(run)]
  const counts = run.counts && { ...run.counts, notes: [...(run.counts.notes ?? []), ...added] }
  const last = await lastManifest(transaction, integrationId)
  await updateRun(transaction, integrationId, runId, {
    finished_at: finishedAt,
    figures_of: figuresOf,
    answers_of: answersOf,
    settled_base: leavesNothing(figures) ? await findBase(transaction, integrationId) : null,
    personal_data: personalData,
    excel,
    suppressions,
    previous_manifest_sha256:
      run.gap === null ? last : await endOfChain(dirname(packFolder(context)), integrationId, run.gap, last),
    ...(counts === null || added.length === 0 ? {} : { counts }),
  })
  // The run is read again from the database, because PostgreSQL changes the order of keys in JSON. A later
  // pack must have the same order of keys.
  return { run: (await findRun(transaction, key)) ?? run, figures, broken }
}

function noteOfGap({ gap }: RunRecord): readonly string[] {
  if (gap === null) return []
  const [first, last] = [gap[0]?.run, gap.at(-1)?.run]
  const which = first === last ? `run ${first}` : `${gap.length} runs, ${first} to ${last}`
  return [
    `this database did not know ${which}, whose packs are in the output folder: the manifest names them as a gap`,
  ]
}

/**
 * Describes the figures that do not match.
 *
 * @param broken details of failed checks; empty if the process crashed after the checks
 */
function describe(open: readonly Figure[], broken: readonly BrokenPromise[]): string {
  const isCheck = ({ measure }: Figure) => measure.startsWith(CHECK_MEASURE)
  const sums = open
    .filter((figure) => !isCheck(figure) || broken.length === 0)
    .map(({ content, resource, measure, count, expected }) => {
      const of = content || resource
      return `${of}${of === '' ? '' : ' '}${measure} is ${count}, not ${expected}`
    })
  const onlyPlatform = open.every(({ measure }) => measure === 'platform')
  const advice = onlyPlatform
    ? 'the platform has other items than this database knows, for example because somebody else wrote there; `event-sync run --refresh` reads them back'
    : 'see reconciliation.csv of the pack, and report it'
  const lines = sums.length === 0 ? [] : [`the figures do not reconcile: ${sums.join('; ')}; ${advice}`]
  return [...lines, ...broken.map(({ text }) => text)].join('\n')
}
