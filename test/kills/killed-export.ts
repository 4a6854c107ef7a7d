/**
 * Writes the pack of a run again as `event-sync export` does, and dies at a named point.
 *
 * Takes configuration, run, point and hit; without a point it lives.
 */
import { findRuns } from '../../loaders/ledger.ts'
import { withContext } from '../../pipeline/commands/session.ts'
import { exportRun } from '../../pipeline/export.ts'
import { silentProgress } from '../../pipeline/progress.ts'

const [config = '', runId = '', point = '', hit = '0'] = process.argv.slice(2)
let hits = 0

await withContext(
  { config },
  async (context) => {
    const [record] = await findRuns(context.database.kysely, { runId })
    if (record === undefined) throw new Error(`there is no run ${runId}`)
    await exportRun(context, record)
  },
  process.env,
  {
    ...silentProgress,
    at(_, passed) {
      if (passed !== point) return
      hits += 1
      if (hits === Number(hit)) process.kill(process.pid, 'SIGKILL')
    },
  },
)
