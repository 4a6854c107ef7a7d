import { z } from 'zod'
import { type Frozen, must, section, wholeNumberBetween } from './values.ts'

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }
const LONGEST_MS = 31 * 86_400_000
const every = '^[1-9][0-9]{0,4}[mhd]$'
const timeOfDay = '^([01][0-9]|2[0-3]):[0-5][0-9]$'

/** A text such as `24h`, in milliseconds. */
export function durationMs(text: string): number {
  return Number(text.slice(0, -1)) * (UNIT_MS[text.slice(-1)] ?? Number.NaN)
}

/** An interval: a whole number of minutes, hours or days. */
function interval() {
  const error = must('a whole number with m, h or d, from 1m to 31d, such as 24h')
  return z
    .string({ error })
    .regex(new RegExp(every), { error, abort: true })
    .refine((text) => durationMs(text) <= LONGEST_MS, { error })
}

/** `source.reading` of a source that can be asked for what changed. */
export function sourceReading() {
  const time = must('a time of day such as 03:00')
  const changes = {
    mode: z.literal('changes').describe('Reads what changed, and all of it from time to time.'),
    fullEvery: interval()
      .default('24h')
      .describe('How often all of it is read: a whole number with m, h or d, 1m to 31d.'),
    fullAt: z
      .string({ error: time })
      .regex(new RegExp(timeOfDay), { error: time })
      .optional()
      .describe(
        'Time of day, in the time zone of the schedule, that a full reading waits for once it is due; left out: none.',
      )
      .meta({ examples: ['03:00'] }),
    // Less would not outlast the hour that occurs twice in autumn.
    overlapMinutes: wholeNumberBetween(60, 10_080)
      .default(60)
      .describe('Minutes before the latest change seen from which changes are asked for again.'),
  }
  const elsewhere = new Map(Object.keys(changes).map((key) => [key, 'mode: changes']))
  return z
    .discriminatedUnion('mode', [
      section({ mode: z.literal('full').describe('Reads all of it in every run.') }, elsewhere),
      section(changes),
    ])
    .prefault({ mode: 'full' })
    .describe('Whether a run reads all of the source, or only what changed.')
}

export type ReadingByChanges = Extract<
  Frozen<z.output<ReturnType<typeof sourceReading>>>,
  { readonly mode: 'changes' }
>
