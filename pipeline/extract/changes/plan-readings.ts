import {
  type ChangeMark,
  findMarks,
  findUnconfirmedMisses,
  type UnconfirmedMiss,
} from '../../../loaders/staging/marks.ts'
import { counted } from '../../../transforms/texts/counted.ts'
import type { IntegrationConfig } from '../../config/config.ts'
import type { RunContext } from '../../context/run-context.ts'
import { timesAfter } from '../../settings/cron.ts'
import { durationMs, type ReadingByChanges } from '../../settings/values.ts'
import type { PlannedReading, SourceResource } from '../../sources/contract/source.ts'
import { shapeOf } from '../resource/read-resource.ts'
import { clockText } from './mark.ts'

/** Options of a command for which all records are read once. */
export interface FullOptions {
  readonly full?: boolean | undefined
  readonly refresh?: boolean | undefined
  readonly rebind?: boolean | undefined
}

/**
 * Part of the interval `fullEvery` by which a full reading (a reading of all records) begins early. Each
 * interval then has a full reading even if runs take long.
 */
const EARLY_SHARE = 0.1

/**
 * Returns the settings for reading only changed records.
 *
 * @returns null if the integration is not read by changes
 */
export function readingByChanges({ source }: IntegrationConfig): ReadingByChanges | null {
  return 'reading' in source && source.reading.mode === 'changes' ? source.reading : null
}

/**
 * Plans, for each resource that can be read by changes, whether to read all records or only changed records.
 */
export async function planReadings(
  run: RunContext,
  options: FullOptions,
): Promise<ReadonlyMap<string, PlannedReading>> {
  const reading = readingByChanges(run.integration)
  if (reading === null) return new Map()
  const db = run.database.kysely
  const marks = await findMarks(db, run.integrationId)
  const [miss] = await findUnconfirmedMisses(db, run.integrationId)
  return new Map(
    run.connected.resources
      .filter(({ changes }) => changes?.isAsked === true)
      .map((resource) => {
        const mark = marks.get(resource.name) ?? null
        const why = whyInFull(run, resource, mark, reading, options, miss ?? null)
        return [
          resource.name,
          {
            since: sinceOf(mark, reading.overlapMinutes),
            markId: mark?.markId ?? null,
            full: why?.reason ?? null,
            isUnusual: why?.isUnusual ?? false,
            comparedKeys: mark?.isReadByChanges === true ? mark.askedKeys : null,
          },
        ] as const
      }),
  )
}

function whyInFull(
  run: RunContext,
  resource: SourceResource,
  mark: ChangeMark | null,
  reading: ReadingByChanges,
  options: FullOptions,
  miss: UnconfirmedMiss | null,
): { readonly reason: string; readonly isUnusual: boolean } | null {
  const unusual = (reason: string) => ({ reason, isUnusual: true })
  const usual = (reason: string) => ({ reason, isUnusual: false })
  if (miss !== null) return unusual(describeUnconfirmed(run.integrationId, miss))
  const option = (['full', 'refresh', 'rebind'] as const).find((name) => options[name])
  if (option !== undefined) return usual(`--${option}`)
  if (mark === null || mark.fullAtMs === null) return usual('it is the first full reading in this mode')
  if (!mark.isFullCertified) return unusual('the last full reading was not certified')
  if (mark.rejected > 0) {
    return unusual(
      `the last full reading had ${counted(mark.rejected, 'record')} that could not be read or were repeated`,
    )
  }
  const key = resource.changes?.key ?? ''
  if (mark.undated > 0) {
    return unusual(`the last full reading had ${counted(mark.undated, 'record')} without a readable ${key}`)
  }
  if (mark.mark === null) return unusual(`no record has a ${key} to start from`)
  if (sinceOf(mark, reading.overlapMinutes) === null) return unusual(`the latest ${key} is not a time`)
  if (mark.markId === null) return unusual(`the record with the latest ${key} was forgotten`)
  if (mark.shape !== shapeOf(run, resource)) {
    return usual('options, fields or the record parser are not those of the last full reading')
  }
  const isDue = run.environment.now() >= nextFullMs(run.integration, reading, mark.fullAtMs)
  return isDue ? usual(`the full reading of every ${reading.fullEvery} is due`) : null
}

/**
 * Explains why a missed change makes the product read all records until somebody starts a run with
 * `--changes`.
 */
export function describeUnconfirmed(integrationId: string, miss: UnconfirmedMiss): string {
  const found = `run ${miss.runId} found ${counted(miss.count, 'record')} of ${miss.resource} that readings of changes missed`
  return `${found}; \`event-sync run ${integrationId} --changes\` reads by changes again`
}

/**
 * Returns when the next full reading is due. Without `fullAt`, a full reading is due a little before its
 * interval has passed. With `fullAt`, it is due at the next such time of day after that.
 */
export function nextFullMs(
  { schedule }: Pick<IntegrationConfig, 'schedule'>,
  { fullEvery, fullAt }: ReadingByChanges,
  lastFullMs: number,
): number {
  const dueMs = lastFullMs + durationMs(fullEvery) * (1 - EARLY_SHARE)
  if (fullAt === undefined) return dueMs
  const [hour, minute] = fullAt.split(':').map(Number)
  const recurrence = { cron: `${minute} ${hour} * * *`, timeZone: schedule?.timeZone ?? 'UTC' }
  // The function returns only times after the given time. Without `- 1`, a reading that is due exactly at the
  // given time would wait for a day.
  const [atMs = dueMs] = timesAfter(recurrence, dueMs - 1, 1)
  return atMs
}

/**
 * Returns the time from which changes are requested, by the source's clock. The start is the mark (how far
 * the readings by changes have come), minus the overlap and minus the duration of the reading that first saw
 * the mark.
 */
function sinceOf(
  mark: Pick<ChangeMark, 'mark' | 'tookMinutes'> | null,
  overlapMinutes: number,
): string | null {
  if (mark === null || mark.mark === null) return null
  const markMs = Date.parse(`${mark.mark.replace(' ', 'T')}Z`)
  if (Number.isNaN(markMs)) return null
  return clockText(markMs - (overlapMinutes + mark.tookMinutes) * 60_000)
}
