import { beforeEach, describe, expect, test } from 'vitest'
import { countPlanned, firstPlanned } from '../../../loaders/packs/plan-changes.ts'
import type { Action, Content } from '../../../sql/tables.ts'
import { engines } from '../../support/engines.ts'
import { emptyTables, INTEGRATION, runId } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'

const RUN = { integrationId: INTEGRATION, runId: runId(1) }

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  const db = () => database().kysely
  beforeEach(() => emptyTables(db()))

  interface Stored {
    readonly content: Content
    readonly action: Action
    readonly seq: number
    readonly reason?: string
    readonly run?: number
    readonly integration?: string
  }

  async function store(changes: readonly Stored[]): Promise<void> {
    await db()
      .insertInto('sync.changes')
      .values(
        changes.map(({ content, action, seq, reason = '', run = 1, integration = INTEGRATION }) => ({
          integration_id: integration,
          run_id: runId(run),
          seq,
          content,
          unique_id: `id${seq}`,
          action,
          reason,
          before: action === 'create' ? null : JSON.stringify({ name: 'a' }),
          after: action === 'remove' ? null : JSON.stringify({ name: 'b', speakerIds: ['u1'] }),
          change_hash: Buffer.alloc(32),
          phase: action === 'remove' ? 'removals' : 'upserts',
          state: 'pending',
        })),
      )
      .execute()
  }

  const pages = (content: Content, limit: number) => Array.fromAsync(firstPlanned(db(), RUN, content, limit))

  test('the first changes of a content are returned in the order of the plan, without changes of other contents or runs', async () => {
    await store([
      { content: 'agenda', action: 'remove', seq: 9, reason: 'cancelled' },
      { content: 'agenda', action: 'update', seq: 4 },
      { content: 'attendees', action: 'create', seq: 1 },
      { content: 'agenda', action: 'create', seq: 10 },
      { content: 'agenda', action: 'create', seq: 3, run: 2 },
      { content: 'agenda', action: 'create', seq: 2, integration: 'other' },
    ])
    const [update, removal] = [
      {
        content: 'agenda',
        action: 'update',
        uniqueId: 'id4',
        reason: '',
        before: { name: 'a' },
        after: { name: 'b', speakerIds: ['u1'] },
      },
      {
        content: 'agenda',
        action: 'remove',
        uniqueId: 'id9',
        reason: 'cancelled',
        before: { name: 'a' },
        after: null,
      },
    ]
    expect(await pages('agenda', 2)).toEqual([[update, removal]])
    expect((await pages('agenda', 10)).flat().map(({ uniqueId }) => uniqueId)).toEqual(['id4', 'id9', 'id10'])
    expect(await pages('agenda', 0)).toEqual([])
    expect(await pages('speakers', 5)).toEqual([])
  })

  test('many changes are read page by page up to the limit, and none is lost or repeated', async () => {
    const seqs = Array.from({ length: 450 }, (_, place) => place + 1)
    await store(
      seqs.map((seq) => ({ content: seq % 2 === 0 ? 'agenda' : 'speakers', action: 'create', seq })),
    )
    const even = seqs.filter((seq) => seq % 2 === 0).map((seq) => `id${seq}`)
    for (const limit of [99, 100, 101, 226]) {
      const read = await pages('agenda', limit)
      expect(read.flat().map(({ uniqueId }) => uniqueId)).toEqual(even.slice(0, limit))
      expect(Math.max(...read.map((page) => page.length))).toBeLessThanOrEqual(100)
    }
  })

  test('changes are counted by content, action and reason', async () => {
    await store([
      { content: 'speakers', action: 'remove', seq: 5, reason: 'cancelled' },
      { content: 'speakers', action: 'remove', seq: 6, reason: 'cancelled' },
      { content: 'speakers', action: 'remove', seq: 7, reason: 'not_a_speaker' },
      { content: 'agenda', action: 'create', seq: 1 },
      { content: 'agenda', action: 'create', seq: 1, run: 2 },
      { content: 'agenda', action: 'create', seq: 1, integration: 'other' },
    ])
    expect(await countPlanned(db(), RUN)).toEqual([
      { content: 'agenda', action: 'create', reason: '', count: 1 },
      { content: 'speakers', action: 'remove', reason: 'cancelled', count: 2 },
      { content: 'speakers', action: 'remove', reason: 'not_a_speaker', count: 1 },
    ])
    expect(await countPlanned(db(), { ...RUN, runId: runId(3) })).toEqual([])
  })
})
