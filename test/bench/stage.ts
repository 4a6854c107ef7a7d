import { copyStaged } from './copy-baseline.ts'
import { idle, loggedRun } from './logged-run.ts'
import type { Measure } from './measurement.ts'
import { makePlace } from './place.ts'
import { bytesRead, settle, withNewDatabase, withServerTime } from './server.ts'

/**
 * Compares the time to extract and stage records into a new database with the time of COPY for the same rows.
 * The transform and the plan of new records are measured too.
 */
export const measureStage: Measure = async ({ folder, postgresUrl, source }) =>
  withNewDatabase(postgresUrl, async (databaseUrl) => {
    const place = makePlace({ folder, databaseUrl, sourceUrl: source.url })
    const { peakMb: idleMb, cpuSeconds: idleCpu } = await idle(place)
    await settle(databaseUrl)
    const requestsBefore = await source.requests()
    const { run: plan, server } = await withServerTime(databaseUrl, () => loggedRun(place, 'plan'))
    const requests = (await source.requests()) - requestsBefore
    const megabytes = (await bytesRead(databaseUrl, plan.run)) / 1_000_000
    const copy = await copyStaged(databaseUrl, folder)
    const staged = plan.stepSeconds('extract', 'stage')
    const registrants = source.count
    return [
      {
        table: 'extract and stage',
        what: 'plan, beside COPY',
        registrants,
        values: {
          requests,
          requestsBesidePages: requests - Math.ceil(registrants / 1000),
          extractSeconds: plan.stepSeconds('extract'),
          stageSeconds: plan.stepSeconds('stage'),
          stagedSeconds: staged,
          recordsPerSecond: registrants / staged,
          megabytesPerSecond: megabytes / staged,
          copySeconds: copy.seconds,
          copyRowsPerSecond: registrants / copy.seconds,
          timesCopy: staged / copy.seconds,
          commandCpuSeconds: plan.cpuSeconds - idleCpu,
          ...server,
          ...(copy.cpuSeconds === null ? {} : { copyCpuSeconds: copy.cpuSeconds }),
          peakMb: plan.peakMb,
          overIdleMb: plan.peakMb - idleMb,
        },
      },
      {
        table: 'transform and plan',
        what: 'plan, all new',
        registrants,
        values: {
          transformSeconds: plan.stepSeconds('transform'),
          planSeconds: plan.stepSeconds('plan'),
          seconds: plan.stepSeconds('transform', 'plan'),
          recordsPerSecond: registrants / plan.stepSeconds('transform', 'plan'),
        },
      },
    ]
  })
