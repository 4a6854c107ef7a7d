import type { Scrubbed } from '../../sql/database.ts'
import { counted } from '../../transforms/guards/guard-finding.ts'
import type { Forgotten } from '../erasure/forget.ts'
import type { RunReport } from '../runtime/report.ts'
import type { CommandIo } from './io.ts'
import { describeReport, toJson } from './print-report.ts'

/** The report of `forget`: counts and places, no value of a person. */
interface ForgetReport {
  readonly forgotten: Forgotten
  readonly runs: readonly RunReport[]
  /** Runs whose operations file names the person, since the platform has to know whom to remove. */
  readonly naming: readonly string[]
  readonly scrubbed: Scrubbed | null
  readonly engine: 'pglite' | 'postgres'
}

export function printForgotten(io: CommandIo, report: ForgetReport, json: boolean): void {
  const output = json || report.forgotten.status === 'unknown' ? io.stderr : io.stdout
  output.write(describeForgotten(report))
  if (json) io.stdout.write(`${JSON.stringify(toShape(report))}\n`)
}

function toShape({ forgotten, runs, naming, scrubbed, engine }: ForgetReport) {
  const { packs, ...rest } = forgotten
  return {
    ...rest,
    packs: { reissued: packs.runs, unsigned: packs.unsigned, left: packs.left },
    operationsNaming: naming,
    notReached: notReached(scrubbed, engine),
    runs: runs.map(toJson),
  }
}

function describeForgotten({ forgotten, runs, naming, scrubbed, engine }: ForgetReport): string {
  const { integration, status, places, sharing, mentions, idMentions, onPlatform, alsoReadBy, packs } =
    forgotten
  if (status === 'unknown') {
    return `${integration}: nothing is known of such a person; \`event-sync sql\` finds ids in published.decisions, --email goes by the address\n`
  }
  const lines = [
    status === 'again'
      ? `${integration}: the person is forgotten already`
      : `${integration}: the person is forgotten; what a later read brings is dropped`,
  ]
  const line = (label: string, text: string) => lines.push(`  ${label.padEnd(12)} ${text}`)
  /** A line where there are any. */
  const some = (label: string, count: number, what: string, text: string) => {
    if (count > 0) line(label, counted(count, what) + text)
  }
  for (const [table, rows] of Object.entries(places)) line('erased', `${table}: ${counted(rows, 'row')}`)
  some('packs', packs.runs.length, 'pack', ' written again, the old manifests kept as links of the chain')
  for (const run of packs.unsigned) line('unsigned', `${run}: it had a signature; configure audit.signingKey`)
  for (const { pack, why } of packs.left) line('NOT REACHED', `pack ${pack}: ${why}`)
  for (const run of naming) line('named', `operations.jsonl of run ${run}${NAMED}`)
  const isRemoved = runs.some((run) => run.status === 'finished')
  if (onPlatform > 0 && !isRemoved)
    line('platform', `it still has ${counted(onPlatform, 'item')}${ON_PLATFORM}`)
  some('address', sharing, 'record', SHARING)
  some('texts', mentions, 'version', MENTIONS)
  some('ids', idMentions, 'version', ID_MENTIONS)
  for (const reader of alsoReadBy) line('NOT REACHED', reader + ALSO_READ)
  if (scrubbed !== null) line('database', scrubbed.done)
  for (const text of notReached(scrubbed, engine)) line('not reached', text)
  return [`${lines.join('\n')}\n`, ...runs.map((run) => describeReport(run))].join('')
}

const NAMED =
  ', since the platform has to be told whom to remove; --delivered takes that out, once the file was taken'
const ON_PLATFORM = ' of people who were forgotten; the next run removes them (forgotten)'
const SHARING =
  ' of others have the same address, so it is not dropped by that; --email forgets all who have it'
const MENTIONS = ' of other records have the address in a text that the source wrote; change it there'
const ID_MENTIONS =
  ' of other records have the same id in a field that is not known to name people; forget with --mentions erases it there, and the next read brings back what the source still says'
const ALSO_READ = ' has read the same source event and keeps what it has read: forget the person there too'
const ON_SERVER =
  'the write-ahead log, replicas, samples in old statistics and the log of the server, until they are written over'

/** What no command of ours can reach. */
function notReached(scrubbed: Scrubbed | null, engine: ForgetReport['engine']): readonly string[] {
  return [
    ...(scrubbed?.left ?? []),
    ...(engine === 'postgres' ? [ON_SERVER] : []),
    'another database, which syncs the person again unless `event-sync suppressions` copies there what is kept here, under the same sealingKey',
    'backups, copies of packs elsewhere, and free blocks of the disk',
    'the platform itself, and the log files of anyone who keeps them (our lines hold no values)',
  ]
}
