import { beforeEach, describe, expect, test } from 'vitest'
import { httpReader, httpTarget } from '../../../loaders/platform/http.ts'
import { readBack, replaceKnownItems } from '../../../loaders/platform/known-items.ts'
import { openOutbox, type Passwords } from '../../../loaders/platform/outbox.ts'
import { PlatformRefusalError, StaleRunError } from '../../../loaders/platform/target.ts'
import type { Database } from '../../../sql/database.ts'
import type { Content } from '../../../sql/tables.ts'
import { makePlan } from '../../../transforms/plan/plan.ts'
import { ALL_CONTENTS } from '../../support/decide.ts'
import { decideOn, desire, type Item, PLAN_SCOPE, possess } from '../../support/desired.ts'
import { engines } from '../../support/engines.ts'
import { enterRun } from '../../support/runs.ts'
import { emptyTables, enterIntegration, INTEGRATION, runId } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'
import { type MemoryPlatform, memoryPlatform } from './memory-platform.ts'

const ada = { firstName: 'Ada', lastName: 'Lovelace', emailAddress: 'ada@people.example' }
const bob = { firstName: 'Bob', lastName: 'B', emailAddress: 'bob@people.example' }
const NO_PASSWORDS: Passwords = { of: async () => new Map(), forget: async () => undefined }

describe.each(engines)('on %s', (engine) => {
  const database = useDatabase(engine)
  const db = () => database().kysely
  let platform: MemoryPlatform

  beforeEach(async () => {
    await emptyTables(db())
    platform = memoryPlatform()
    await enterIntegration(db(), {
      platform: 'http',
      platform_url: 'https://platform.example',
      platform_event_id: '1001',
    })
  })

  async function plan(run = 2, complete: readonly Content[] = []) {
    await enterRun(db(), run, { status: 'applying', appliedAt: null })
    const scope = { ...PLAN_SCOPE, runId: runId(run), target: 'http', complete }
    return database().transaction((transaction) => makePlan(transaction, scope))
  }

  async function apply(
    options: {
      run?: number
      batchSize?: number
      passwords?: Passwords
      planHash?: string
      on?: typeof platform
      through?: Database
    } = {},
  ) {
    const { run = 2, batchSize = 2, passwords = NO_PASSWORDS, planHash = 'ab' } = options
    const header = { contract: '1.0', integration: INTEGRATION, run: runId(run), planHash }
    const outbox = openOutbox(
      options.through ?? database(),
      { integrationId: INTEGRATION, runId: runId(run), maxRejectedShare: 0.2 },
      passwords,
      () => '2031-04-04T12:00:00Z',
    )
    await httpTarget(options.on ?? platform, { batchSize }).apply(header, outbox)
  }

  /** Prepares five attendees to create and one to remove. */
  async function prepare() {
    await desire(
      db(),
      [1, 2, 3, 4, 5].map((place): Item => ['attendees', `A${place}`, ada]),
    )
    await possess(db(), [['attendees', 'gone', bob]])
    await decideOn(db(), [['attendees', 'gone', 'cancelled']])
    platform.items.set('attendees gone', bob)
    await plan()
  }

  const states = async () =>
    (
      await db()
        .selectFrom('sync.changes')
        .orderBy('seq')
        .select(['unique_id', 'state', 'result', 'code', 'retryable'])
        .execute()
    ).map(({ unique_id, state, result, code, retryable }) =>
      [unique_id, state, result, code, retryable].filter((value) => value !== null).join(' '),
    )
  const known = async () =>
    (
      await db()
        .selectFrom('sync.platform_items')
        .where('integration_id', '=', INTEGRATION)
        .orderBy('unique_id')
        .select('unique_id')
        .execute()
    ).map(({ unique_id }) => unique_id)

  test('operations are sent in batches, removals are sent last, and the results are recorded', async () => {
    await prepare()
    await apply()
    expect(platform.batches.map(({ phase, operations }) => [phase, operations.length])).toEqual([
      ['upserts', 2],
      ['upserts', 2],
      ['upserts', 1],
      ['removals', 1],
    ])
    expect(new Set(platform.batches.map(({ key }) => key)).size).toBe(4)
    expect(platform.batches.map(({ fence }) => fence)).toEqual([1, 1, 1, 1])
    expect(await states()).toEqual([
      ...[1, 2, 3, 4, 5].map((place) => `A${place} applied created`),
      'gone applied removed',
    ])
    expect(await known()).toEqual(['A1', 'A2', 'A3', 'A4', 'A5'])
    const sent = platform.batches.length
    await apply()
    expect(platform.batches).toHaveLength(sent)
  })

  test('a run gets a fence number with its first batch; a run that sends no batch gets none', async () => {
    await prepare()
    await db().updateTable('sync.changes').set({ state: 'withheld' }).execute()
    await apply()
    const fences = async () => {
      const { fence } = await db().selectFrom('sync.integrations').select('fence').executeTakeFirstOrThrow()
      return [Number(fence), ...platform.batches.map((batch) => batch.fence)]
    }
    expect(await fences()).toEqual([0])
    await db().updateTable('sync.changes').set({ state: 'pending' }).execute()
    await apply()
    expect(await fences()).toEqual([1, 1, 1, 1, 1])
  })

  test('a batch has a limit of bytes, but a single operation may be longer than this limit', async () => {
    const long = { ...ada, biography: 'x'.repeat(600_000) }
    await desire(db(), [
      ['attendees', 'A1', long],
      ['attendees', 'A2', long],
      ['attendees', 'A3', { ...ada, biography: 'x'.repeat(2_000_000) }],
    ])
    await plan()
    await apply({ batchSize: 100 })
    expect(platform.batches.map(({ operations }) => operations.length)).toEqual([1, 1, 1])
  })

  test('a batch that got no answer is sent first in the next attempt, with the same key and the same bytes', async () => {
    await prepare()
    platform.play({ at: 2, drop: 'after' })
    await expect(apply()).rejects.toThrow('no answer')
    expect(await states()).toEqual([
      'A1 applied created',
      'A2 applied created',
      'A3 sent',
      'A4 sent',
      'A5 pending',
      'gone pending',
    ])
    expect(await known()).toEqual(['A1', 'A2', 'gone'])
    await apply()
    const [, second, third] = platform.posts
    expect(third).toEqual(second)
    expect(await states()).toEqual([
      ...[1, 2, 3, 4, 5].map((place) => `A${place} applied created`),
      'gone applied removed',
    ])
    expect(platform.effects.filter((effect) => effect.endsWith('A3'))).toEqual(['created attendees A3'])
  })

  test('after a rejected operation, all other operations are still sent, even removals that a record states', async () => {
    await prepare()
    platform.reject.set('A2', { code: 'too_long', retryable: false })
    platform.reject.set('A4', { code: 'busy', retryable: true })
    await apply()
    expect(await states()).toEqual([
      'A1 applied created',
      'A2 failed failed too_long false',
      'A3 applied created',
      'A4 failed failed busy true',
      'A5 applied created',
      'gone applied removed',
    ])
    expect(await known()).toEqual(['A1', 'A3', 'A5'])
    // The next plan contains the changes that failed in this run.
    const { changes } = await plan(3)
    expect(changes.attendees).toMatchObject({ create: 2, remove: 0 })
  })

  test.each([
    [1, ['applied removed', 'applied removed', 'applied removed', 'applied removed']],
    [2, ['applied removed', 'applied removed', 'withheld', 'applied removed']],
    [5, ['applied removed', 'applied removed', 'withheld', 'applied removed']],
  ])(
    'if %d of 5 upserts are rejected, only removals of the same content that no record states may be withheld',
    async (rejected, due) => {
      const gone = ['1 cancelled', '2 rule', '3 vanished']
      await desire(
        db(),
        [1, 2, 3, 4, 5].map((place): Item => ['attendees', `A${place}`, ada]),
      )
      await possess(db(), [
        ...gone.map((id): Item => ['attendees', id, bob]),
        ['speakers', '3 vanished', bob],
      ])
      await decideOn(db(), [
        ['attendees', '1 cancelled', 'cancelled'],
        ['attendees', '2 rule', 'excluded_by_rule:staff'],
      ])
      for (let place = 1; place <= rejected; place += 1)
        platform.reject.set(`A${place}`, { code: 'busy', retryable: true })
      await plan(2, ALL_CONTENTS)
      await apply()
      expect((await states()).slice(5)).toEqual(
        [...gone, '3 vanished'].map((id, place) => `${id} ${due[place]}`),
      )
    },
  )

  describe('a registration that changed hands', () => {
    const handovers = [ada, bob].map(
      ({ emailAddress }, place): Item => [
        'attendees',
        `H${place}`,
        { firstName: 'Carlos', lastName: 'Ortega', emailAddress: `c${emailAddress}` },
      ],
    )
    async function prepareHandover() {
      await possess(db(), [
        ['attendees', 'H0', { firstName: 'Ada', lastName: 'Lovelace', emailAddress: 'ada@people.example' }],
        ['attendees', 'H1', { firstName: 'Bob', lastName: 'Miller', emailAddress: 'bob@people.example' }],
      ])
      await desire(db(), [...handovers, ['attendees', 'A0', ada]])
      for (const id of ['H0', 'H1']) platform.items.set(`attendees ${id}`, bob)
      return plan()
    }
    const passwords: Passwords = {
      of: async (_, ids) => new Map(ids.map((id) => [id, { password: `for ${id}` }])),
      forget: async () => undefined,
    }

    test('a registration that changed hands is removed before all upserts, then created again with a new password under the same unique ID [R76]', async () => {
      const { changes } = await prepareHandover()
      expect(changes.attendees).toEqual({ create: 1, update: 0, handover: 2, remove: 0, unchanged: 0 })
      await apply({ passwords })
      const sent = platform.batches.flatMap(({ phase, operations }) =>
        operations.map((operation) => [phase, operation.op, operation.uniqueId, 'password' in operation]),
      )
      expect(sent).toEqual([
        ['removals', 'remove', 'H0', false],
        ['removals', 'remove', 'H1', false],
        ['upserts', 'upsert', 'A0', true],
        ['upserts', 'upsert', 'H0', true],
        ['upserts', 'upsert', 'H1', true],
      ])
      expect(await states()).toEqual(['A0 applied created', 'H0 applied created', 'H1 applied created'])
      expect((await plan(3)).changes.attendees).toEqual({ create: 0, update: 0, remove: 0, unchanged: 3 })
    })

    test('if the removal of a registration that changed hands fails, the platform keeps the previous person, and the next run tries again', async () => {
      await prepareHandover()
      platform.reject.set('H1', { code: 'busy', retryable: true })
      await apply()
      expect(await states()).toEqual([
        'A0 applied created',
        'H0 applied created',
        'H1 failed failed busy true',
      ])
      expect(platform.items.get('attendees H1')).toEqual(bob)
      expect((await plan(3)).changes.attendees).toMatchObject({ handover: 1, unchanged: 2 })
    })

    test.each(['before', 'after'] as const)(
      'a registration that changed hands is completed after a crash between its removal and its creation (no answer %s the effect)',
      async (drop) => {
        await prepareHandover()
        for (const at of [1, 2]) {
          platform.play({ at: platform.posts.length + 1 + (at - 1), drop })
          await expect(apply()).rejects.toThrow('no answer')
        }
        await apply()
        expect(await states()).toEqual(['A0 applied created', 'H0 applied created', 'H1 applied created'])
        expect(platform.effects.filter((effect) => effect.endsWith('H0'))).toEqual([
          'removed attendees H0',
          'created attendees H0',
        ])
      },
    )

    test('if the creation of a registration that changed hands is rejected, the next run creates the account', async () => {
      await prepareHandover()
      await db().updateTable('sync.changes').set({ freed: true }).where('unique_id', '=', 'H0').execute()
      await db().deleteFrom('sync.platform_items').where('unique_id', '=', 'H0').execute()
      platform.items.delete('attendees H0')
      platform.reject.set('H0', { code: 'busy', retryable: true })
      await apply()
      platform.reject.clear()
      expect((await plan(3)).changes.attendees).toEqual({ create: 1, update: 0, remove: 0, unchanged: 2 })
    })
  })

  test('attendees who swap e-mail addresses are sent in one batch; a removal that frees an address is sent before it', async () => {
    const at = (name: string) => ({ emailAddress: `${name}@people.example` })
    await possess(db(), [
      ...['A1', 'A3', 'A4', 'A6'].map((id): Item => ['attendees', id, at(id)]),
      ['attendees', 'A7', at('B')],
      ['attendees', 'A8', at('C')],
    ])
    await desire(db(), [
      ['attendees', 'A1', { ...at('A1'), title: 'x' }],
      ['attendees', 'A2', at('new')],
      ['attendees', 'A3', at('A6')],
      ['attendees', 'A4', at('A3')],
      ['attendees', 'A5', at('B')],
      ['attendees', 'A6', at('A4')],
    ])
    await plan(2, ALL_CONTENTS)
    await apply({ batchSize: 3 })
    expect(
      platform.batches.map(({ phase, operations }) => [phase, ...operations.map(({ uniqueId }) => uniqueId)]),
    ).toEqual([
      ['removals', 'A7'],
      ['upserts', 'A1', 'A2'],
      ['upserts', 'A4', 'A6', 'A3'],
      ['upserts', 'A5'],
      ['removals', 'A8'],
    ])
    const stored = await db().selectFrom('sync.batches').orderBy('batch').select('phase').execute()
    expect(stored.map(({ phase }) => phase)).toEqual(['freeing', 'upserts', 'upserts', 'upserts', 'removals'])
  })

  test('a batch that is refused as a whole is sent again, one operation at a time', async () => {
    await prepare()
    platform.refuseWith.set('A3', { status: 422, error: 'invalid' })
    await apply({ batchSize: 4 })
    expect(await states()).toEqual([
      'A1 applied created',
      'A2 applied created',
      'A3 failed failed invalid false',
      'A4 applied created',
      'A5 applied created',
      'gone applied removed',
    ])
    const created = ['A1', 'A2', 'A4', 'A5'].map((id) => `created attendees ${id}`)
    expect(platform.effects).toEqual([...created, 'removed attendees gone'])
    const batches = await db().selectFrom('sync.batches').orderBy('batch').select('state').execute()
    expect(batches.map(({ state }) => state)).toEqual(['refused', ...Array(6).fill('answered')])
  })

  test.each(['missing', 'extra', 'repeated', 'of another kind', 'no JSON'] as const)(
    'if a result is %s, the effect of the batch is unknown, and its items are read back',
    async (fault) => {
      await prepare()
      platform.play({ at: 1, garble: fault })
      await apply({ batchSize: 3 })
      expect(await states()).toEqual([
        'A1 applied unchanged read_back',
        'A2 applied unchanged read_back',
        'A3 applied unchanged read_back',
        'A4 applied created',
        'A5 applied created',
        'gone applied removed',
      ])
    },
  )

  test('an item that is missing when it is read back counts as failed, and is sent again', async () => {
    await prepare()
    platform.lose.add('A2')
    platform.play({ at: 1, garble: 'missing' })
    await apply({ batchSize: 5 })
    expect((await states())[1]).toBe('A2 failed failed not_found_when_read_back true')
    expect(await known()).toEqual(['A1', 'A3', 'A4', 'A5'])
  })

  test('reading back after a batch fails if the platform has more items than platform.maxItems', async () => {
    await prepare()
    platform.play({ at: 1, garble: 'missing' })
    await expect(apply({ batchSize: 5, on: { ...platform, maxItems: 2 } })).rejects.toThrow(
      'the platform has more attendees than platform.maxItems (2)',
    )
  })

  test('after a batch with an unknown effect, a removal is read back too', async () => {
    await possess(db(), [
      ['attendees', 'gone', bob],
      ['attendees', 'stays', bob],
    ])
    await decideOn(db(), [
      ['attendees', 'gone', 'cancelled'],
      ['attendees', 'stays', 'cancelled'],
    ])
    platform.items.set('attendees gone', bob)
    platform.items.set('attendees stays', bob)
    platform.lose.add('stays')
    await plan()
    platform.play({ at: 1, garble: 'no JSON' })
    await apply()
    expect(await states()).toEqual([
      'gone applied removed read_back',
      'stays failed failed not_found_when_read_back true',
    ])
    expect(await known()).toEqual(['stays'])
  })

  test('a run with an outdated fence fails, and none of its operations count as applied', async () => {
    await prepare()
    platform.fence = 9
    await expect(apply()).rejects.toThrow(StaleRunError)
    expect(await known()).toEqual(['gone'])
    expect(platform.effects).toEqual([])
  })

  test('a process records no results if another process has continued its run meanwhile', async () => {
    await prepare()
    const post: typeof platform.post = async (...sent) => {
      const answer = await platform.post(...sent)
      // Meanwhile another process has finished the same run.
      await db().updateTable('sync.runs').set({ status: 'finished' }).execute()
      return answer
    }
    await expect(apply({ on: { ...platform, post } })).rejects.toThrow('another process continued run')
    expect(await known()).toEqual(['gone'])
  })

  test.each([
    [401, 'check platform.token'],
    [403, 'check what platform.token may do'],
    [404, 'check platform.url and platform.eventId'],
    [302, 'check platform.url'],
    [409, 'answered 409'],
  ])('if the platform answers %d, the run ends, and the error says what to check', async (status, hint) => {
    await prepare()
    platform.refuseWith.set('A1', { status, error: 'no' })
    const error = await apply().then(
      () => null,
      (cause: unknown) => cause,
    )
    expect(error).toBeInstanceOf(PlatformRefusalError)
    expect(String(error)).toContain(hint)
    expect((await states())[0]).toBe('A1 sent')
  })

  test('if the platform already knows the key of a batch with other bytes, the batch is read back and not sent again', async () => {
    await prepare()
    platform.refuseWith.set('A1', { status: 409, error: 'key_reused' })
    platform.items.set('attendees A1', ada)
    await apply()
    expect((await states()).slice(0, 2)).toEqual([
      'A1 applied unchanged read_back',
      'A2 failed failed not_found_when_read_back true',
    ])
  })

  test('if the stored key of a batch would now be sent with another body, the batch is read back and not sent', async () => {
    await prepare()
    platform.play({ at: 1, drop: 'before' })
    await expect(apply()).rejects.toThrow('no answer')
    await apply({ planHash: 'cd' })
    expect(platform.posts).toHaveLength(1 + 3)
    expect((await states()).slice(0, 2)).toEqual([
      'A1 failed failed not_found_when_read_back true',
      'A2 failed failed not_found_when_read_back true',
    ])
  })

  describe('items that are read back', () => {
    const answering = (...pages: readonly unknown[]) => {
      let asked = 0
      const connection = {
        ...platform,
        get: async () => {
          asked += 1
          return { status: 200, body: pages[Math.min(asked, pages.length) - 1] }
        },
      }
      return { connection, asked: () => asked }
    }
    const item = (uniqueId: string) => ({ uniqueId, fields: { name: 'x' } })
    async function readAll(connection: Parameters<typeof httpReader>[0]) {
      const ids: string[] = []
      for await (const { items } of httpReader(connection).itemsOf('agenda'))
        ids.push(...items.map(({ uniqueId }) => uniqueId))
      return ids
    }

    test('a platform whose pages never end is read only up to platform.maxItems', async () => {
      let asked = 0
      const get = async () => {
        asked += 1
        return { status: 200, body: { items: [item(`${1000 + asked}`)], next: 'a', fence: 0 } }
      }
      const read = async () => {
        for await (const page of httpReader({ ...platform, get, maxItems: 100 }).itemsOf('agenda'))
          page.items.at(0)
      }
      await expect(read()).rejects.toThrow(
        'the platform has more agenda than platform.maxItems (100); check platform.url and platform.eventId, or raise the limit',
      )
      expect(asked).toBe(101)
    })

    test.each<[string, readonly unknown[]]>([
      ['the same page again and again', [{ items: [item('1')], next: 'a', fence: 0 }]],
      ['empty pages without end', [{ items: [], next: 'a', fence: 0 }]],
      ['an id twice', [{ items: [item('1'), item('1')], next: null, fence: 0 }]],
      ['an id of more than 1000 bytes', [{ items: [item('é'.repeat(501))], next: null, fence: 0 }]],
      ['U+0000', [{ items: [item('a\0')], next: null, fence: 0 }]],
      [
        'a field that is no text',
        [{ items: [{ uniqueId: '1', fields: { name: 1 } }], next: null, fence: 0 }],
      ],
      ['no JSON', [null]],
    ])('%s: refused, soon', async (_, pages) => {
      const { connection, asked } = answering(...pages)
      await expect(readAll(connection)).rejects.toThrow(
        /^the agenda on the platform cannot be read back: .*; ask the people who run the platform$/,
      )
      expect(asked()).toBeLessThan(3)
    })

    test('reading back an empty page returns no items', async () => {
      expect(await readAll(answering({ items: [], next: null, fence: 0 }).connection)).toEqual([])
    })

    test('if one page has 30,000 items, reading it back returns all of them', async () => {
      const ids = Array.from({ length: 30_000 }, (_, place) => String(place + 100_000))
      const { connection } = answering({ items: ids.map(item), next: null, fence: 4 })
      const run = { integrationId: INTEGRATION, runId: runId(2) }
      const found = await readBack(database(), run, httpReader(connection).itemsOf('agenda'))
      await database().transaction((transaction) => replaceKnownItems(transaction, run, ['agenda'], found))
      expect(await known()).toHaveLength(30_000)
    })
  })

  test('the planner gets new statistics each time the number of known items has doubled, not after every batch', async () => {
    await desire(
      db(),
      Array.from({ length: 4000 }, (_, place): Item => ['attendees', `A${10_000 + place}`, ada]),
    )
    await plan()
    let looks = 0
    const counting = db().withPlugin({
      transformQuery({ node }) {
        if (JSON.stringify(node).includes('refresh_statistics')) looks += 1
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const watched: Database = {
      ...database(),
      transaction: (work) => counting.transaction().execute(work),
    }
    await apply({ batchSize: 500, through: watched })
    // Statistics are updated at 500, 1000, 2000 and 4000 items.
    expect([platform.batches.length, looks]).toEqual([8, 4])
  })

  test('a rejection with an invalid code is recorded as a rejection without a code', async () => {
    await prepare()
    platform.reject.set('A2', { code: 'E-12 Bad', retryable: true })
    await apply()
    expect((await states())[1]).toBe('A2 failed failed true')
  })

  test('a created attendee gets the same password at each attempt, and the password is deleted after the creation [R73]', async () => {
    await prepare()
    const asked: string[][] = []
    const forgotten: string[] = []
    const passwords: Passwords = {
      async of(_, ids) {
        asked.push([...ids])
        const stored = { storeEncryptedPassword: true } as const
        return new Map(ids.map((id) => [id, { password: `secret ${id}`, ...(id === 'A1' && stored) }]))
      },
      async forget(_, ids) {
        forgotten.push(...ids)
      },
    }
    platform.play({ at: 1, drop: 'after' })
    platform.reject.set('A5', { code: 'busy', retryable: true })
    await expect(apply({ passwords })).rejects.toThrow('no answer')
    expect(forgotten).toEqual([])
    await apply({ passwords })
    expect(platform.posts[0]).toEqual(platform.posts[1])
    expect(platform.posts[0]?.body).toContain('"password":"secret A1","storeEncryptedPassword":true}')
    expect(platform.posts[0]?.body).toContain('"password":"secret A2"}')
    expect(asked).toEqual([['A1', 'A2'], ['A1', 'A2'], ['A3', 'A4'], ['A5']])
    expect(forgotten).toEqual(['A1', 'A2', 'A3', 'A4'])
    const rows = JSON.stringify([
      await db().selectFrom('sync.batches').selectAll().execute(),
      await db().selectFrom('sync.changes').selectAll().execute(),
    ])
    expect(rows).not.toContain('secret')
  })

  test('an updated attendee gets no password [R73]', async () => {
    await desire(db(), [['attendees', 'A1', ada]])
    await possess(db(), [['attendees', 'A1', bob]])
    await plan()
    await apply({
      passwords: {
        ...NO_PASSWORDS,
        of: async (_, ids) => new Map(ids.map((id) => [id, { password: 'no' }])),
      },
    })
    expect(platform.posts[0]?.body).not.toContain('password')
  })
})
