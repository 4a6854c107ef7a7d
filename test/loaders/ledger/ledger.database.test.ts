// These tests run on both engines, because their drivers return timestamps and integers differently.
import { beforeEach, describe, expect, test } from 'vitest'
import { type Binding, bindIntegration, OtherBindingError } from '../../../loaders/ledger/binding.ts'
import {
  countDecisions,
  findRuns,
  type NewRun,
  openRun,
  requireApplying,
  takeFence,
  updateRun,
} from '../../../loaders/ledger/ledger.ts'
import type { Content } from '../../../sql/tables.ts'
import { decideOn, possess } from '../../support/desired.ts'
import { bothEngines } from '../../support/engines.ts'
import { emptyTables, enterIntegration, INTEGRATION, runId } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'

const BINDING: Binding = {
  source: 'a',
  source_url: 'https://source-a.example',
  source_event_id: '4242',
  platform: 'jsonl',
  platform_url: '',
  platform_event_id: '',
}

describe.each(bothEngines)('on %s', (engine) => {
  const database = useDatabase(engine)
  const db = () => database().kysely
  beforeEach(() => emptyTables(db()))

  describe('the binding of an integration', () => {
    const bind = (
      binding: Partial<Binding> = {},
      { rebind = false, timeZone = null as string | null } = {},
    ) =>
      database().transaction((transaction) =>
        bindIntegration(transaction, INTEGRATION, { ...BINDING, ...binding }, timeZone, rebind),
      )

    const stored = () => db().selectFrom('sync.integrations').selectAll().executeTakeFirstOrThrow()
    const items = () => db().selectFrom('sync.platform_items').select('integration_id').execute()

    test('the first run stores the binding of an integration (its source and platform); later runs may change only the time zone', async () => {
      expect(await bind()).toMatchObject({ platformRevision: '0' })
      await db().updateTable('sync.integrations').set({ base: 7 }).execute()
      expect(await bind({}, { timeZone: 'Europe/Berlin' })).toMatchObject({ platformRevision: '7' })
      expect(await stored()).toMatchObject({ ...BINDING, time_zone: 'Europe/Berlin' })
    })

    test.each([
      ['source', 'source.type'],
      ['source_url', 'source.url'],
      ['source_event_id', 'source.eventId'],
      ['platform', 'platform.type'],
      ['platform_url', 'platform.url'],
      ['platform_event_id', 'platform.eventId'],
    ] as const)(
      'another %s is refused, the error names the key %s, and the stored binding stays',
      async (column, key) => {
        await bind()
        const other = bind({ [column]: 'other' })
        await expect(other).rejects.toBeInstanceOf(OtherBindingError)
        await expect(other).rejects.toThrow(
          `was bound to ${key} "${BINDING[column]}", and the configuration now has "other"`,
        )
        expect(await stored()).toMatchObject(BINDING)
      },
    )

    test('with --rebind another source is accepted, and the items of the platform are still known', async () => {
      await bind()
      await possess(db(), [['attendees', '1', {}]])
      expect(await bind({ source_url: 'https://new.example' }, { rebind: true })).toEqual({
        platformRevision: '0',
        formerEvent: { source: 'a', source_place: 'source-a.example', source_event_id: '4242' },
        rebound: 'source.url from "https://source-a.example" to "https://new.example"',
      })
      expect((await stored()).source_url).toBe('https://new.example')
      expect((await items()).length).toBe(1)
    })

    test('after a rebind to another platform event, no items are known and no earlier plan is current', async () => {
      await bind()
      await possess(db(), [['attendees', '1', {}]])
      await possess(db(), [['attendees', '1', {}]], 'expo')
      expect(await bind({ platform_event_id: '8' }, { rebind: true })).toMatchObject({
        platformRevision: '1',
      })
      expect(await items()).toEqual([{ integration_id: 'expo' }])
    })

    describe('a platform event', () => {
      const EVENT = { platform: 'http', platform_url: 'https://platform.example', platform_event_id: '7' }
      const bindTo = (id: string, more: Partial<Binding> = {}, rebind = false) =>
        database().transaction((transaction) =>
          bindIntegration(transaction, id, { ...BINDING, ...EVENT, ...more }, null, rebind),
        )

      test('two integrations cannot write to the same platform event, but several integrations can write files', async () => {
        await bindTo('summit')
        await expect(bindTo('expo')).rejects.toThrow(
          /^integration expo may not write to event "7" of https:\/\/platform.example: summit already wrote there, .* `event-sync run expo --rebind`/,
        )
        await expect(bindTo('expo')).rejects.toBeInstanceOf(OtherBindingError)
        await bindTo('expo', { platform_event_id: '8' })
        for (const id of ['one', 'two']) await bindTo(id, BINDING)
      })

      test('after --rebind the platform event belongs to the second integration, and the first integration is refused', async () => {
        await bindTo('summit')
        await possess(db(), [['attendees', '1', {}]])
        const rebound = 'the platform event, taken from another integration'
        expect(await bindTo('expo', {}, true)).toMatchObject({ platformRevision: '0', rebound })
        await expect(bindTo('summit')).rejects.toThrow('expo already wrote there')
        expect((await items()).length).toBe(1)
        expect(await bindTo('summit', {}, true)).toMatchObject({ platformRevision: '1', rebound })
        expect(await bindTo('summit', {}, true)).toMatchObject({ rebound: null })
        expect(await items()).toEqual([])
        await expect(bindTo('expo')).rejects.toThrow('summit already wrote there')
      })

      test('if two processes bind the same platform event at the same time, only one succeeds', async () => {
        const ended = await Promise.allSettled([bindTo('summit'), bindTo('expo')])
        expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
        for (const one of ended)
          if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(OtherBindingError)
      })
    })
  })

  describe('runs', () => {
    test('a run stops sending if another integration has taken over its platform event', async () => {
      const binding = { ...BINDING, platform: 'http', platform_url: 'https://platform.example' }
      const bindTo = (id: string) =>
        database().transaction((transaction) => bindIntegration(transaction, id, binding, null, true))
      const run = { integrationId: INTEGRATION, runId: runId(1) }
      const require = () => database().transaction((transaction) => requireApplying(transaction, run))
      await bindTo(INTEGRATION)
      await open(1)
      await updateRun(db(), INTEGRATION, runId(1), { status: 'applying' })
      await require()
      await bindTo('another')
      await expect(require()).rejects.toThrow('another integration took over the platform event')
    })

    const open = (run: number, more: Partial<NewRun> = {}) =>
      openRun(db(), {
        integrationId: INTEGRATION,
        runId: runId(run),
        command: 'run',
        startedAt: '2031-05-04T16:00:00.000Z',
        startedBy: 'ada',
        productVersion: '0.0.0',
        configuration: '{}',
        contents: ['agenda', 'speakers'],
        platformRevision: '7',
        eventName: null,
        silencedHints: [],
        timeZone: 'Europe/Berlin',
        custom: {},
        nextDueAt: null,
        maxQuarantined: 0,
        ...more,
      })
    const statuses = async () =>
      (await findRuns(db(), {})).map((run) => [run.integration_id, Number(run.run_id.slice(-2)), run.status])

    test('a new run abandons runs of its integration that died before their plan was stored', async () => {
      await open(1)
      await open(2)
      await updateRun(db(), INTEGRATION, runId(2), { status: 'applying' })
      await open(3, { integrationId: 'expo' })
      await open(4)
      expect(await statuses()).toEqual([
        [INTEGRATION, 4, 'running'],
        ['expo', 3, 'running'],
        [INTEGRATION, 2, 'applying'],
        [INTEGRATION, 1, 'abandoned'],
      ])
      const [abandoned] = await findRuns(db(), { runId: runId(1) })
      expect(abandoned?.finished_at?.toISOString()).toBe('2031-05-04T16:00:00.000Z')
    })

    test('everything recorded about a run is returned unchanged', async () => {
      await open(1)
      await open(1, { integrationId: 'expo' })
      const counts = {
        changes: { agenda: { create: 1, update: 0, remove: 0, unchanged: 2 } },
        excluded: { cancelled: 3 },
        quarantined: 4,
        kept: 2,
      }
      const held = { guard: 'speakerType', detail: 'x' }
      await updateRun(db(), INTEGRATION, runId(1), {
        status: 'held',
        plan_hash: 'cd',
        certified: true,
        held,
        counts,
      })
      const [run] = await findRuns(db(), { integrationId: INTEGRATION })
      expect(run).toMatchObject({
        status: 'held',
        held,
        counts,
        contents: ['agenda', 'speakers'],
        certified: true,
      })
      expect([String(run?.base), run?.approved_by, run?.error]).toEqual(['7', null, null])
      await updateRun(db(), INTEGRATION, runId(1), { held: null, error: 'no' })
      expect((await findRuns(db(), { integrationId: INTEGRATION }))[0]).toMatchObject({
        held: null,
        counts,
        error: 'no',
      })
      const [other] = await findRuns(db(), { integrationId: 'expo' })
      expect(other).toMatchObject({ status: 'running', held: null, counts: null, error: null })
    })

    test('each run gets a higher fence number than earlier runs, and keeps this number', async () => {
      await enterIntegration(db())
      for (const run of [1, 2]) await open(run)
      const fenceOf = (run: number) =>
        database().transaction((db) => takeFence(db, { integrationId: INTEGRATION, runId: runId(run) }))
      expect([await fenceOf(1), await fenceOf(2), await fenceOf(1)]).toEqual([1, 2, 1])
    })

    test('findRuns filters runs by integration, run, status and plan, and returns the newest first', async () => {
      for (const run of [2, 1, 3]) await open(run, { integrationId: run === 1 ? 'expo' : INTEGRATION })
      await updateRun(db(), INTEGRATION, runId(2), { status: 'finished', plan_hash: 'cd' })
      const found = async (...filter: [Parameters<typeof findRuns>[1], number?]) =>
        (await findRuns(db(), ...filter)).map((run) => Number(run.run_id.slice(-2)))
      expect(await found({})).toEqual([3, 2, 1])
      expect(await found({}, 1)).toEqual([3])
      expect(await found({ integrationId: INTEGRATION })).toEqual([3, 2])
      expect(await found({ runId: runId(1) })).toEqual([1])
      expect(await found({ statuses: ['finished', 'held'] })).toEqual([2])
      expect(await found({ planHash: 'cd', integrationId: 'expo' })).toEqual([])
    })
  })

  test('the figures of a run have the exclusions by reason over all contents, and count each quarantined record once', async () => {
    await decideOn(db(), [
      ['attendees', '1', 'cancelled'],
      ['attendees', '2', 'cancelled'],
      ['attendees', '3', null],
      ['speakers', '1', 'not_a_speaker'],
      ['agenda', '1', 'bad_time'],
    ])
    await decideOn(db(), [['attendees', '1', 'cancelled']], 'expo')
    const aside = {
      integration_id: INTEGRATION,
      run_id: runId(1),
      source_id: null,
      id: null,
      path: '',
      detail: '',
    }
    await db()
      .insertInto('sync.unstaged')
      .values([
        { ...aside, resource: 'registrants', ordinal: 1, reason: 'duplicate_id' },
        { ...aside, resource: 'registrants', ordinal: 2, reason: 'invalid_record' },
        { ...aside, resource: 'reg_types', ordinal: 1, reason: 'duplicate_id' },
        { ...aside, resource: 'reg_types', ordinal: 2, reason: 'invalid_record' },
        { ...aside, resource: 'registrants', ordinal: 3, reason: 'invalid_record', run_id: runId(2) },
      ])
      .execute()
    const resourceOf = new Map<Content, string>([
      ['attendees', 'registrants'],
      ['speakers', 'registrants'],
    ])
    const figures = await countDecisions(db(), { integrationId: INTEGRATION, runId: runId(1) }, resourceOf)
    // A repeated registrant counts as excluded for attendees and for speakers; a repeated record of a lookup
    // resource does not count.
    expect(figures).toEqual({ excluded: { cancelled: 2, duplicate_id: 2, not_a_speaker: 1 }, quarantined: 2 })
  })
})
