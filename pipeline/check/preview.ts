import { incomingName, openIncoming } from '../../loaders/staging/incoming.ts'
import { mergeResource } from '../../loaders/staging/merge.ts'
import type { Database } from '../../sql/database.ts'
import type { Content } from '../../sql/tables.ts'
import { decidedOf } from '../../transforms/reconciliation/decided.ts'
import type { IntegrationConfig } from '../config/config.ts'
import type { ReaderContext } from '../extract/page-reader.ts'
import { pick } from '../runtime/pick.ts'
import { makeRunId } from '../runtime/run-id.ts'
import {
  type ContentCounts,
  type Counts,
  type Finding,
  notCheckable,
  ok,
} from '../sources/contract/findings.ts'
import type { Resource } from '../sources/contract/source.ts'
import type { AnySourceType } from '../sources/contract/source-type.ts'

export type Preview = ReturnType<typeof previewOf>

/** Opens a database in memory that knows these sources too; the caller closes it. */
export async function openScratch(outside: readonly AnySourceType[] = []): Promise<Database> {
  const [{ openInMemory }, { migrate }] = await Promise.all([
    import('../database/pglite.ts'),
    import('../database/migrate.ts'),
  ])
  const database = await openInMemory()
  await migrate(database, outside)
  return database
}

/** Stages and decides what is read as a run would, in a database in memory, and counts the outcome. */
export function previewOf(
  database: Database,
  { id: integrationId, content: contents }: IntegrationConfig,
  { connected, environment }: ReaderContext,
) {
  const runId = makeRunId(environment.now(), environment.randomBytes(10), null)
  const read = new Map<string, Awaited<ReturnType<typeof openIncoming>>>()
  return {
    async sinkOf(resource: Resource) {
      const incoming = await openIncoming(database, incomingName(runId, resource.name), resource)
      read.set(resource.name, incoming)
      const close = async () => {
        await incoming.commit()
        await incoming.close()
      }
      return { ...incoming, close }
    },
    /** @param isRead whether a resource was read to its proved end */
    count(isRead: (resource: string) => boolean): Promise<Counts> {
      const isWhole = (content: Content) =>
        connected.resources.every(({ name, neededFor }) => !neededFor.includes(content) || isRead(name))
      return database.transaction(async (transaction) => {
        for (const resource of connected.resources) {
          const found = read.get(resource.name)
          if (found === undefined || !isRead(resource.name)) continue
          await mergeResource(transaction, {
            ...pick(resource, 'table', 'columns'),
            integrationId,
            runId,
            resource: resource.name,
            incoming: found.table,
            totals: found.totals(),
            certified: true,
          })
        }
        await connected.makeDesired(transaction, runId, true)
        const rejected = await transaction
          .selectFrom('sync.unstaged')
          .where('integration_id', '=', integrationId)
          .where('run_id', '=', runId)
          .groupBy(['resource', 'reason'])
          .select((eb) => ['resource', 'reason', eb.fn.countAll<string>().as('count')])
          .execute()
        const counts: Partial<Record<Content, ContentCounts>> = {}
        for (const content of contents.filter(isWhole)) {
          const resource = connected.resourceOf.get(content)
          const countOf = (reason: string) =>
            Number(rejected.find((row) => row.resource === resource && row.reason === reason)?.count ?? 0)
          const { synced, excluded } = await decidedOf(transaction, { integrationId, runId }, content)
          const repeated = countOf('duplicate_id')
          const reasons = excluded.map(([reason, count]) => [reason, Number(count)] as const)
          if (repeated > 0) reasons.push(['duplicate_id', repeated])
          counts[content] = {
            synced: Number(synced),
            excluded: Object.fromEntries(reasons.sort(([one], [other]) => (one < other ? -1 : 1))),
            quarantined: countOf('invalid_record'),
          }
        }
        return counts
      })
    },
  }
}

export function previewFindings(counts: Counts): readonly Finding[] {
  return Object.entries(counts).map(([content, { synced, excluded, quarantined }]) => {
    const rule = { id: `${content}.synced`, sentence: `the next run would sync ${content}`, clause: null }
    const left = Object.entries(excluded).map(([reason, count]) => `${count} ${reason}`)
    if (quarantined > 0) left.push(`${quarantined} that cannot be read`)
    const all = synced + quarantined + Object.values(excluded).reduce((sum, count) => sum + count, 0)
    const seen = `the next run would sync ${synced} of ${all}${left.length === 0 ? '' : `; not: ${left.join(', ')}`}`
    return synced > 0 || all === 0 ? ok(rule, seen) : notCheckable(rule, seen)
  })
}
