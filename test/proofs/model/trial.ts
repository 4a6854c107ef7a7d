import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { suppress, unsuppress } from '../../../loaders/ledger/suppressed.ts'
import { timestamp } from '../../../pipeline/context/run-context.ts'
import { sourceBindingOf } from '../../../pipeline/context/suppression.ts'
import type { RunReport } from '../../../pipeline/runtime/report.ts'
import type { Database } from '../../../sql/database.ts'
import type { Difference } from '../../harness/compare.ts'
import { openPlace, type Place, runLast, sourceAt } from '../../harness/place.ts'
import type { SourceType, Stage } from '../../harness/seeds.ts'
import {
  API_KEY,
  AUTHENTICATION_SECRET,
  EVENT_ID,
  type SourceServer,
  startSource,
} from '../../harness/source-server.ts'
import { declare, type Tally } from '../../harness/tally.ts'
import { compareRun } from './compare.ts'
import { type Expected, foretell, NO_STATE } from './model-run.ts'
import { configOf } from './options.ts'
import { countOutcomes } from './outcomes.ts'
import type { Suppressed } from './suppressions.ts'
import { makeVersions } from './versions.ts'

for (const guard of ['speakerType', 'emptied', 'blackout', 'massUpdate', 'removals']) {
  declare(`run: tripped, ${guard}`)
}
declare('run: removals withheld')
declare('run: two unchanged ones write equal bytes')

/** Opens a source for trials (tests of one seed), which run one after another in one database. */
export async function openTrials(database: Database): Promise<Stage> {
  const server = await startSource()
  return {
    async tryOut(type, seed, tally) {
      const output = mkdtempSync(join(tmpdir(), 'model-'))
      try {
        return await tryOut({ database, server, output }, type, seed, tally)
      } finally {
        rmSync(output, { recursive: true })
      }
    },
    close: () => server.close(),
  }
}

interface Ground {
  readonly database: Database
  readonly server: SourceServer
  readonly output: string
}

/** Syncs the versions of a random event one after another, and compares each run with the model. */
async function tryOut(
  { database, server, output }: Ground,
  type: SourceType,
  seed: number,
  tally: Tally,
): Promise<readonly Difference[]> {
  const found: Difference[] = []
  const reports: RunReport[] = []
  let state = NO_STATE
  let before: Expected | null = null
  let suppressed: readonly Suppressed[] = []
  // All seeds use the same source event, so suppressions and bindings of earlier seeds are deleted.
  await database.kysely.deleteFrom('sync.integrations').execute()
  await database.kysely.deleteFrom('sync.suppressed').execute()
  for (const [index, { source, served }] of makeVersions(type, seed, tally).entries()) {
    const { expected, after } = foretell(source, state)
    state = after
    server.serve(served)
    const place = openPlace({
      database,
      output,
      env: { API_KEY, AUTHENTICATION_SECRET },
      // A sealing key is configured, because suppressed ids can be e-mail addresses, which the product seals.
      config: { sealingKey: 'env:KEY' },
      integration: {
        id: `model-${type}-${seed}`,
        source: { ...sourceAt(type, server.url), eventId: EVENT_ID, ...source.options },
        ...configOf(source),
      },
    })
    await setSuppressed(place, suppressed, source.suppressed ?? [])
    suppressed = source.suppressed ?? []
    const report = await runLast(place)
    reports.push(report)
    const differing = compareRun(expected, report)
    found.push(...differing.map((one) => ({ ...one, path: `run ${index + 1}: ${one.path}` })))
    count(tally, type, expected)
    // A run may differ from the one before although the records are equal: it may remove items that the one
    // before was not allowed to remove, and other pages may prove less.
    const isAsBefore = isDeepStrictEqual(expected, before)
    before = expected
    if (index !== 3 || !isAsBefore) continue
    tally.count('run: two unchanged ones write equal bytes')
    for (const path of unequalFiles(reports[2]?.output, report.output))
      found.push({ path, expected: 'the bytes of run 3', actual: 'others in run 4' })
  }
  return found
}

/** Suppresses and unsuppresses items, as the commands do, so that exactly the given items are suppressed. */
async function setSuppressed(
  { integration, context }: Place,
  before: readonly Suppressed[],
  after: readonly Suppressed[],
): Promise<void> {
  const { kysely } = context.database
  const binding = sourceBindingOf(integration)
  const { event } = binding
  const readersOf = ({ by }: Suppressed) =>
    by === 'another source event'
      ? [{ ...binding, event: { ...event, source_event_id: 'another' } }]
      : [
          ...(by === 'another integration' ? [] : [binding]),
          ...(by === 'the integration' ? [] : [{ event, integrationId: 'another' }]),
        ]
  for (const item of before) for (const { event } of readersOf(item)) await unsuppress(kysely, event, item)
  const since = timestamp(context.environment)
  for (const item of after)
    for (const each of readersOf(item)) await suppress(kysely, each, { ...item, since, by: 'somebody' })
}

function count(tally: Tally, type: SourceType, expected: Expected): void {
  countOutcomes(tally, type, expected.decisions)
  for (const [content, counts] of Object.entries(expected.changes)) {
    for (const [action, times] of Object.entries(counts))
      tally.count(`action, ${type} ${content}: ${action}`, times)
  }
  for (const [content, times] of Object.entries(expected.kept))
    tally.count(`action, ${type} ${content}: kept`, times)
  for (const guard of expected.guards) tally.count(`run: tripped, ${guard}`)
  if (expected.guards.length > 0 && expected.status === 'finished') tally.count('run: removals withheld')
}

/** Returns the CSV files that differ in two packs although they must be equal. */
function unequalFiles(one?: string | null, other?: string | null): readonly string[] {
  if (one == null || other == null) return []
  return (
    readdirSync(one)
      // The file certificates.csv is left out: the same records may arrive in a different number of answers.
      .filter((file) => file.endsWith('.csv') && file !== 'certificates.csv')
      .filter((file) => !readFileSync(join(one, file)).equals(readFileSync(join(other, file))))
  )
}
