import { loggedRun } from './logged-run.ts'
import type { Measure } from './measurement.ts'
import { makePlace } from './place.ts'

/** A first run on the embedded database, whose memory is that of the command. */
export const measureEmbedded: Measure = async ({ folder, source }) => {
  const run = await loggedRun(makePlace({ folder, databaseUrl: null, sourceUrl: source.url }), 'run')
  return [
    {
      table: 'PGlite',
      what: 'first run',
      registrants: source.count,
      values: {
        extractSeconds: run.stepSeconds('extract'),
        stageSeconds: run.stepSeconds('stage'),
        transformSeconds: run.stepSeconds('transform'),
        planSeconds: run.stepSeconds('plan'),
        applySeconds: run.stepSeconds('apply'),
        auditSeconds: run.stepSeconds('audit'),
        recordsPerSecond: source.count / run.stepSeconds('extract', 'stage'),
        peakMb: run.peakMb,
      },
    },
  ]
}
