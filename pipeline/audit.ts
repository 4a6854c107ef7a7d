import { dirname } from 'node:path'
import type { Kysely } from 'kysely'
import { findFigures, storeFigures } from '../loaders/audit/reconciliation.ts'
import { endOfChain } from '../loaders/audit/verify/chain.ts'
import { readPacks } from '../loaders/audit/verify/found-manifest.ts'
import { findRuns, lastManifest, type RunRecord, updateRun } from '../loaders/ledger.ts'
import { tellPurges } from '../loaders/purge.ts'
import type { RunCounts, Tables } from '../sql/tables.ts'
import {
  CHECK_MEASURE,
  type Figure,
  openSums,
  PLATFORM_MEASURE,
} from '../transforms/reconciliation/figure.ts'
import { reconcile } from '../transforms/reconciliation/reconcile.ts'
import { resolveSigner } from './config/signing.ts'
import { writePackOf } from './pack.ts'
import { packFolder } from './pack-folder.ts'
import { countAtPlatform, type PlatformCounts } from './platform/counts.ts'
import { type RunContext, timestamp } from './run-context.ts'
import { type BrokenPromise, findBrokenPromises } from './sql-checks.ts'

/**
 * Reconciles a run whose plan was applied, writes its audit pack, and ends it.
 *
 * @throws where a sum does not close or a check of `sql/checks/after-apply` finds rows; the pack is there then and says
 *   which, and the run has ended
 */
export async function audit(context: RunContext): Promise<void> {
  const { database, integrationId, runId, progress } = context
  const told = await countAtPlatform(context)
  const { run, figures, broken } = await database.transaction((transaction) =>
    fix(transaction, context, told),
  )
  progress.at(integrationId, 'figures stored')
  const manifestSha256 = await writePackOf(
    database.kysely,
    run,
    packFolder(context),
    resolveSigner(context.config, context.secrets),
    () => progress.at(integrationId, 'pack file written'),
  )
  progress.at(integrationId, 'pack written')
  const open = openSums(figures)
  await database.transaction((transaction) =>
    updateRun(transaction, integrationId, runId, {
      status: open.length === 0 ? 'finished' : 'failed',
      error: null,
      manifest_sha256: manifestSha256,
    }),
  )
  if (open.length > 0) throw new Error(describe(open, broken))
  progress.at(integrationId, 'run finished')
}

/**
 * Fixes all that the pack says and the ledger does not yet: the figures, and the moment at which the run ended. Whoever
 * writes the pack again, as after a crash or beside a process that has lost its lock, writes the same bytes.
 */
async function fix(
  transaction: Kysely<Tables>,
  context: RunContext,
  { counts: platformCounts, notes }: PlatformCounts,
): Promise<{
  readonly run: RunRecord
  readonly figures: readonly Figure[]
  readonly broken: readonly BrokenPromise[]
}> {
  const { config, integrationId, runId, environment, connected } = context
  const key = { integrationId, runId }
  const [run] = await findRuns(transaction, key)
  if (run === undefined) throw new Error(`run ${runId} of ${integrationId} is not in the ledger`)
  if (run.finished_at !== null) return { run, figures: await findFigures(transaction, key), broken: [] }
  const finishedAt = timestamp(environment)
  const sums = await reconcile(transaction, {
    ...key,
    tableOf: new Map(connected.source.resources.map(({ name, table }) => [name, table])),
    resourceOf: new Map([...connected.resourceOf].filter(([content]) => run.contents.includes(content))),
    platformCounts,
  })
  const broken = await findBrokenPromises(transaction, 'after-apply', key)
  const figures = [...sums, ...broken.map(figureOf)]
  await storeFigures(transaction, key, figures)
  await tellPurges(transaction, key)
  const { personalData, excel } = config.audit
  const counts = withNotes(run, notes)
  const fixed = {
    personal_data: personalData,
    excel,
    previous_manifest_sha256: (await lastManifest(transaction, integrationId)) ?? (await lastBeside(context)),
    ...(counts === null ? {} : { counts }),
  }
  await updateRun(transaction, integrationId, runId, { finished_at: finishedAt, ...fixed })
  return { run: { ...run, ...fixed, finished_at: new Date(finishedAt) }, figures, broken }
}

/** The end of the chain on the disk, which a database that is new goes on with. */
async function lastBeside(context: RunContext): Promise<string | null> {
  const { packs } = await readPacks(dirname(packFolder(context)))
  return endOfChain(packs, context.integrationId)
}

function withNotes({ counts }: RunRecord, notes: readonly string[]): RunCounts | null {
  return counts === null || notes.length === 0
    ? counts
    : { ...counts, notes: [...(counts.notes ?? []), ...notes] }
}

/** A check that finds rows stands among the sums: so many rows, where there must be none. */
function figureOf({ name, count }: BrokenPromise): Figure {
  return { content: '', resource: '', measure: `${CHECK_MEASURE}${name}`, count: BigInt(count), expected: 0n }
}

/** @param broken what is known of the checks among the figures; nothing after a crash */
function describe(open: readonly Figure[], broken: readonly BrokenPromise[]): string {
  const isCheck = ({ measure }: Figure) => measure.startsWith(CHECK_MEASURE)
  const sums = open
    .filter((figure) => !isCheck(figure) || broken.length === 0)
    .map(({ content, resource, measure, count, expected }) => {
      const of = content === '' ? resource : content
      return `${of}${of === '' ? '' : ' '}${measure} is ${count}, not ${expected}`
    })
  const onlyPlatform = open.every(({ measure }) => measure === PLATFORM_MEASURE)
  const advice = onlyPlatform
    ? 'the platform has other items than this database knows, as when somebody else wrote there; `event-sync run --refresh` reads them back'
    : 'see reconciliation.csv of the pack, and tell whoever maintains event-sync'
  const lines = sums.length === 0 ? [] : [`the figures do not reconcile: ${sums.join('; ')}; ${advice}`]
  return [...lines, ...broken.map(({ text }) => text)].join('\n')
}
