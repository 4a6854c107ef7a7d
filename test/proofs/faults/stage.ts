import type { Database } from '../../../sql/database.ts'
import { ID_ANSWERS } from '../../harness/source-answers.ts'
import { type FaultEvent, makeEvent, type SourceType } from './event.ts'
import { type Cast, type FaultServer, startFaultServer } from './fault-server.ts'
import { copyIntegration, packOf, type Snapshot, snapshotOf } from './snapshot.ts'
import { type Synced, syncFrom } from './sync.ts'
import { expectedOf } from './table.ts'

/**
 * An integration that was synced once, and the result of its second sync without faults, for the comparison.
 */
export interface Rehearsal {
  readonly type: SourceType
  readonly event: FaultEvent
  /**
   * The source. All runs of a rehearsal read from the same address, so that their rows and configurations
   * differ only by the faults. Only one run at a time may use the server.
   */
  readonly server: FaultServer
  readonly integrationId: string
  readonly before: Snapshot
  readonly after: Snapshot
  readonly pack: Readonly<Record<string, string>>
}

/** The result of a run with faults. */
export interface Performance extends Synced {
  readonly casts: readonly Cast[]
  readonly snapshot: Snapshot
  readonly pack: Readonly<Record<string, string>>
  /** How many requests were answered with each fault. */
  readonly plays: ReadonlyMap<Cast, number>
  readonly strayed: readonly string[]
  /** The snapshot after a further run without faults; null if no further run was made. */
  readonly healed: Snapshot | null
}

export interface PerformOptions {
  /** True if a further run without faults shall follow. */
  readonly heal?: boolean
  readonly http?: Readonly<Record<string, number>>
}

/** A database with integrations that were synced once, in which runs with faults are made. */
export interface Stage {
  rehearse(type: SourceType, eventSeed: number): Promise<Rehearsal>
  perform(rehearsal: Rehearsal, casts: readonly Cast[], options?: PerformOptions): Promise<Performance>
  /** Closes the sources. */
  close(): Promise<void>
}

export function openStage(database: Database, output: string): Stage {
  const servers: FaultServer[] = []
  const rehearsals = new Map<string, Promise<Rehearsal>>()
  // A run that must fail changes nothing, so the next run can use the same integration.
  const unchanged = new Map<string, string>()
  let ids = 0
  const runId = () => {
    ids += 1
    return `01a1fda0-0000-7000-8000-${ids.toString(16).padStart(12, '0')}`
  }

  async function rehearse(type: SourceType, eventSeed: number): Promise<Rehearsal> {
    const event = makeEvent(type, eventSeed)
    const integrationId = `first-${type}-${eventSeed}`
    const reference = `undisturbed-${type}-${eventSeed}`
    const server = await startFaultServer(type, ID_ANSWERS[eventSeed % ID_ANSWERS.length])
    servers.push(server)
    const sync = (id: string) =>
      syncFrom({ database, integrationId: id, type, server, output, runId: runId() })
    await server.reset(event.before, [])
    requireFinished(await sync(integrationId))
    await copyIntegration(database, integrationId, reference)
    const before = await snapshotOf(database, integrationId)
    await server.reset(event.after, [])
    const { report } = requireFinished(await sync(reference))
    const after = await snapshotOf(database, reference)
    return { type, event, server, integrationId, before, after, pack: packOf(report) }
  }

  return {
    rehearse(type, eventSeed) {
      const key = `${type} ${eventSeed}`
      const known = rehearsals.get(key) ?? rehearse(type, eventSeed)
      rehearsals.set(key, known)
      return known
    },
    async perform(
      { type, event, server, integrationId: from },
      casts,
      { heal = false, http: limits = {} } = {},
    ) {
      const isKept = expectedOf(type, casts) === 'failed' && !heal
      const kept = unchanged.get(from)
      ids += 1
      const integrationId = isKept && kept !== undefined ? kept : `faulty-${ids}`
      if (integrationId !== kept) await copyIntegration(database, from, integrationId)
      unchanged.delete(from)
      const http = Object.assign({}, ...casts.map(({ fault }) => fault.http), limits)
      const sync = { database, integrationId, type, server, output }
      await server.reset(event.after, casts)
      const synced = await syncFrom({ ...sync, http, runId: runId() })
      const snapshot = await snapshotOf(database, integrationId)
      const plays = new Map(casts.map((cast) => [cast, server.playsOf(cast)] as const))
      const strayed = [...server.strayed]
      const performance = { ...synced, casts, snapshot, pack: packOf(synced.report), plays, strayed }
      if (isKept && synced.report.status === 'failed') unchanged.set(from, integrationId)
      if (!heal) return { ...performance, healed: null }
      await server.reset(event.after, [])
      requireFinished(await syncFrom({ ...sync, runId: runId() }))
      return { ...performance, healed: await snapshotOf(database, integrationId) }
    },
    async close() {
      await Promise.all(servers.map((server) => server.close()))
    },
  }
}

function requireFinished(synced: Synced): Synced {
  if (synced.report.status === 'finished' && synced.code === 0) return synced
  throw new Error(`an undisturbed run is ${synced.report.status}: ${synced.report.error}`)
}
