import type { Scrubbed } from '../../sql/database.ts'
import type { Forgotten } from '../forgetting/forget.ts'
import type { RunReport } from '../report.ts'
import { describeReport, toJson } from './print-report.ts'

/** All that `forget` has to tell; counts and places, no value of a person. */
export interface Told {
  readonly forgotten: Forgotten
  /** What --remove did. */
  readonly runs: readonly RunReport[]
  /** Runs whose operations file names the person, since the platform has to be told whom to remove. */
  readonly naming: readonly string[]
  readonly scrubbed: Scrubbed | null
  readonly engine: 'pglite' | 'postgres'
}

/** Prints it: one JSON object on standard output, or text for people. */
export function printForgotten(told: Told, json: boolean): void {
  const output = json || told.forgotten.status === 'unknown' ? process.stderr : process.stdout
  output.write(describeForgotten(told))
  if (json) process.stdout.write(`${JSON.stringify(toShape(told))}\n`)
}

function toShape({ forgotten, runs, naming, scrubbed, engine }: Told) {
  const { packs, ...rest } = forgotten
  return {
    ...rest,
    packs: { reissued: packs.runs, unsigned: packs.unsigned, left: packs.left },
    operationsNaming: naming,
    notReached: notReached(scrubbed, engine),
    runs: runs.map(toJson),
  }
}

function describeForgotten({ forgotten, runs, naming, scrubbed, engine }: Told): string {
  const { integration, status, places, sharing, mentions, onPlatform, packs } = forgotten
  if (status === 'unknown') {
    return `${integration}: nothing is known of such a person; \`event-sync sql\` finds ids in published.decisions, --email goes by the address\n`
  }
  const lines = [
    status === 'again'
      ? `${integration}: the person is forgotten already`
      : `${integration}: the person is forgotten; what a later read brings is dropped`,
  ]
  const line = (label: string, text: string) => lines.push(`  ${label.padEnd(12)} ${text}`)
  for (const [table, rows] of Object.entries(places)) line('erased', `${table}: ${counted(rows, 'row')}`)
  if (packs.runs.length > 0) {
    line(
      'packs',
      `${counted(packs.runs.length, 'pack')} written again, the old manifests kept as links of the chain`,
    )
  }
  for (const run of packs.unsigned) line('unsigned', `${run}: it had a signature; configure audit.signingKey`)
  for (const { pack, why } of packs.left) line('NOT REACHED', `pack ${pack}: ${why}`)
  for (const run of naming) {
    line(
      'named',
      `operations.jsonl of run ${run}, since the platform has to be told whom to remove; --delivered takes that out, once the file was taken`,
    )
  }
  if (onPlatform > 0) {
    line(
      'platform',
      `it still has ${counted(onPlatform, 'item')} of people who were forgotten; the next run removes them (forgotten)`,
    )
  }
  if (sharing > 0) {
    line(
      'address',
      `${counted(sharing, 'record')} of others have the same address, so it is not dropped by that; --email forgets all who have it`,
    )
  }
  if (mentions > 0) {
    line(
      'texts',
      `${counted(mentions, 'version')} of other records have the address in a text that the source wrote; change it there`,
    )
  }
  if (scrubbed !== null) line('database', scrubbed.done)
  for (const text of notReached(scrubbed, engine)) line('not reached', text)
  return [`${lines.join('\n')}\n`, ...runs.map(describeReport)].join('')
}

/** What no command of ours can reach. */
function notReached(scrubbed: Scrubbed | null, engine: Told['engine']): readonly string[] {
  return [
    ...(scrubbed?.left ?? []),
    ...(engine === 'postgres'
      ? [
          'the write-ahead log, replicas, samples in old statistics and the log of the server, until they are written over',
        ]
      : []),
    'backups, copies of packs elsewhere, and free blocks of the disk',
    'the platform itself, and the log files of whoever keeps them (our lines hold no values)',
  ]
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
