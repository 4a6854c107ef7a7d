import { dropReadings } from '../../../loaders/staging/readings.ts'
import { openRunContext } from '../../../pipeline/context/open-run.ts'
import { extract } from '../../../pipeline/extract/extract.ts'
import type { Reading } from '../../../pipeline/sources/contract/source.ts'
import type { Database } from '../../../sql/database.ts'
import { TOKEN } from '../../harness/source-server.ts'
import type { FaultEvent, SourceType } from './event.ts'
import { type Cast, startFaultServer } from './fault-server.ts'
import { contextOf } from './sync.ts'

let runs = 0

/**
 * Reads only the resource that has the fault, which is far quicker than a whole run.
 *
 * @returns what was read, or the error message if the read failed
 */
export async function readOne(
  database: Database,
  type: SourceType,
  event: FaultEvent,
  cast: Cast,
): Promise<{
  readonly reading: Reading | null
  readonly message: string
  readonly strayed: readonly string[]
}> {
  const server = await startFaultServer(type)
  await server.reset(event.after, [cast])
  runs += 1
  const runId = `01b0fda0-0000-7000-8000-${runs.toString(16).padStart(12, '0')}`
  const sync = { database, integrationId: `reader-${runs}`, type, server, output: '/nowhere' }
  const { context, integration } = contextOf({ ...sync, http: cast.fault.http })
  const run = openRunContext(context, integration, runId)
  const name = cast.place === TOKEN ? 'registrants' : cast.place
  const resources = run.connected.resources.filter((resource) => resource.name === name)
  try {
    const [reading = null] = await extract({ ...run, connected: { ...run.connected, resources } })
    return { reading, message: '', strayed: server.strayed }
  } catch (error) {
    return {
      reading: null,
      message: error instanceof Error ? error.message : String(error),
      strayed: server.strayed,
    }
  } finally {
    await dropReadings(database.kysely, run.integrationId, runId, resources)
    await server.close()
  }
}
