import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findRuns } from '../../loaders/ledger/ledger.ts'
import { exportRun } from '../../pipeline/packs/export.ts'
import { openPlace, runLast, sourceAt } from '../harness/place.ts'
import { type Resources, serveRecords } from '../harness/serve-records.ts'
import { readPacksIn } from '../people/packs.ts'
import { engines } from '../support/engines.ts'
import { useFolder } from '../support/folder.ts'
import { useDatabase } from '../support/use-database.ts'
import { aSession, aUser, SLOT_0 } from '../traps/traps-of-a.ts'
import { serveIntegration } from './guarded-integration.ts'

/** The files of a pack that contain neither the run id nor a time of the run, in byte order. */
const ALL = [
  'README.txt',
  'agenda.csv',
  'attendees.csv',
  'certificates.csv',
  'changes.csv',
  'datapackage.json',
  'decisions.csv',
  'details.json',
  'load_results.csv',
  'reconciliation.csv',
  'speakers.csv',
]
const without = (...names: readonly string[]) => ALL.filter((name) => !names.includes(name))
const RECORDS: Resources = {
  TimeSlots: [SLOT_0],
  Sessions: [aSession('s1'), aSession('s2')],
  Users: [aUser('u1', { SpeakingAt: [{ Id: 's1' }] }), aUser('u2')],
}

describe.each(engines)('a run that changed nothing, after another one, on %s', (engine) => {
  const database = useDatabase(engine)
  const output = useFolder()
  let count = 0

  async function setUp() {
    count += 1
    const id = `still-${count}`
    const server = await serveRecords('a', RECORDS)
    onTestFinished(() => server.close())
    const packs: string[] = []
    const place = (audit: Readonly<Record<string, unknown>>) =>
      openPlace({
        database: database(),
        output: output(),
        config: { audit },
        integration: { id, source: sourceAt('a', server.url), removals: { maxShare: 1 } },
      })
    return {
      id,
      packs,
      hold: server.hold,
      folder: () => join(output(), id),
      async run(audit = {}) {
        const report = await runLast(place(audit))
        expect(report).toMatchObject({ status: 'finished' })
        packs.push(report.output ?? '')
      },
      /**
       * Compares the last pack with the previous pack. `linked` contains the files that are hard links to the
       * files of the previous pack. `copied` contains separate files with the same bytes.
       */
      shared() {
        const [before = '', last = ''] = packs.slice(-2)
        const names = readdirSync(last)
        const inode = (pack: string, name: string) =>
          statSync(join(pack, name), { throwIfNoEntry: false })?.ino
        const isShared = (name: string) => inode(before, name) === inode(last, name)
        const isSame = (name: string) => readIf(join(before, name)) === readIf(join(last, name))
        return {
          linked: names.filter(isShared),
          copied: names.filter((name) => !isShared(name) && isSame(name)),
        }
      },
      async exportLast() {
        const [record] = await findRuns(database().kysely, { integrationId: id }, 1)
        if (record === undefined) throw new Error('no run')
        await exportRun(place({}).context, record)
      },
    }
  }

  const readIf = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : null)
  const bytesOf = (pack: string) =>
    Object.fromEntries(readdirSync(pack).map((name) => [name, readFileSync(join(pack, name), 'utf8')]))

  test('from the second unchanged run on, all files that do not contain the run id are hard links with the right bytes', async () => {
    const { run, shared, packs, folder, exportLast, hold } = await setUp()
    // A repeated record is quarantined, and its position may differ between runs. So decisions.csv is
    // compared.
    hold({ ...RECORDS, Users: [...(RECORDS.Users ?? []), aUser('u1', { SpeakingAt: [{ Id: 's1' }] })] })
    await run()
    await run()
    expect(shared().linked).toEqual([])
    await run()
    expect(shared()).toEqual({ linked: ALL, copied: [] })
    const [, before = '', last = ''] = packs
    const bytes = bytesOf(last)
    await exportLast()
    expect(bytesOf(last)).toEqual(bytes)
    // A pack that `export` writes again has its own files, without hard links.
    expect(shared().linked).toEqual([])
    expect(Object.keys(bytesOf(before))).toEqual(Object.keys(bytes))
    expect(await readPacksIn(folder(), null)).toEqual([])
  })

  test('the report of an unchanged run links to that of the first run that found the same, and has few bytes', async () => {
    const { run, packs, exportLast, hold } = await setUp()
    const report = () => readFileSync(join(packs.at(-1) ?? '', 'report.html'), 'utf8')
    await run()
    await run()
    expect(report()).toContain('id="agenda"')
    for (const _ of [3, 4]) {
      await run()
      expect(report()).toContain(`href="../${basename(packs[1] ?? '')}/report.html"`)
      expect(report()).toContain(`Run ${basename(packs.at(-1) ?? '')} of`)
      expect(Buffer.byteLength(report())).toBeLessThan(2_000)
    }
    const bytes = report()
    await exportLast()
    expect(report()).toBe(bytes)
    hold({ ...RECORDS, Sessions: [aSession('s1'), aSession('s2'), aSession('s3', { Enabled: false })] })
    await run()
    expect(report()).toContain('id="agenda"')
    await run({ excel: true })
    expect(report()).toContain('id="agenda"')
    await run({ excel: true })
    expect(report()).toContain(`href="../${basename(packs.at(-2) ?? '')}/report.html"`)
  })

  test('a run that read the same answers as the last one does not store them again, and its pack has them', async () => {
    const { id, run, packs, exportLast, hold } = await setUp()
    const storing = async () => {
      const rows = await database()
        .kysely.selectFrom('sync.requests')
        .where('integration_id', '=', id)
        .distinct()
        .orderBy('run_id')
        .select('run_id')
        .execute()
      return rows.map(({ run_id }) => packs.findIndex((pack) => basename(pack) === run_id))
    }
    const read = (pack: string, file: string) => JSON.parse(readFileSync(join(pack, file), 'utf8'))
    for (let times = 0; times < 3; times += 1) await run()
    expect(await storing()).toEqual([0])
    const [first = '', , last = ''] = packs
    expect(read(last, 'details.json').requests).toEqual(read(first, 'details.json').requests)
    const { startedAt, firstAnswerAt, lastAnswerAt, finishedAt } = read(last, 'manifest.json')
    expect([startedAt, firstAnswerAt, lastAnswerAt, finishedAt].toSorted()).toEqual([
      ...[startedAt, firstAnswerAt, lastAnswerAt, finishedAt],
    ])
    await exportLast()
    hold({ ...RECORDS, Sessions: [aSession('s1'), aSession('s2', { Title: 'Another' })] })
    await run()
    await run()
    expect(await storing()).toEqual([0, 3])
    await exportLast()
  })

  test('a run does not link files with items or decisions that changed', async () => {
    const { run, shared, hold } = await setUp()
    for (let times = 0; times < 2; times += 1) await run()
    hold({ ...RECORDS, Sessions: [aSession('s1'), aSession('s2', { Title: 'Another' })] })
    await run()
    expect(shared().linked).toEqual([])
    await run()
    expect(shared().linked).toEqual([])
    // A new session that is not published and has no speakers changes no item, but adds a decision.
    hold({
      ...RECORDS,
      Sessions: [aSession('s1'), aSession('s2', { Title: 'Another' }), aSession('s3', { Enabled: false })],
    })
    await run()
    expect(shared()).toEqual({
      linked: without(
        'certificates.csv',
        'datapackage.json',
        'decisions.csv',
        'details.json',
        'reconciliation.csv',
      ),
      copied: [],
    })
  })

  test('a plan that is applied late does not link files of a later state', async () => {
    const { run, plan, approve, hold } = await serveIntegration(
      database(),
      { source: { type: 'a' } },
      RECORDS,
    )
    await run()
    await run()
    const planned = await plan()
    hold({ ...RECORDS, Sessions: [...(RECORDS.Sessions ?? []), aSession('s3', { Enabled: false })] })
    await run()
    const { report } = await approve(planned.report.planHash)
    expect(report.run).toBe(planned.report.run)
    expect(readFileSync(join(report.output ?? '', 'decisions.csv'), 'utf8')).not.toContain('s3')
  })

  test('a run does not link files if the settings of the pack differ', async () => {
    const { run, shared } = await setUp()
    for (const audit of [{}, {}, { excel: true }]) await run(audit)
    expect(shared().linked).toEqual([])
    await run({ excel: true, personalData: 'masked' })
    expect(shared().linked).toEqual([])
    await run({ excel: true, personalData: 'masked' })
    expect(shared()).toEqual({ linked: ALL, copied: [] })
  })

  test('a run does not link agenda.csv if a session or the event has another time zone, although its item is the same', async () => {
    const session = { id: 's1', name: 'Keynote', date: '2031-05-04', start_time: '09:00', end_time: '10:00' }
    const inZone = (timezone: string | null): Resources => ({ sessions: [{ ...session, timezone }] })
    const server = await serveRecords('b', inZone('Europe/Berlin'))
    onTestFinished(() => server.close())
    const run = async (timeZone: string) => {
      const source = { ...sourceAt('b', server.url), timeZone }
      const integration = { id: 'zones', source, content: ['agenda'] }
      const report = await runLast(openPlace({ database: database(), output: output(), integration }))
      const [row = ''] = readFileSync(join(report.output ?? '', 'agenda.csv'), 'utf8')
        .split('\r\n')
        .slice(1)
      return row.split(',').slice(-3)
    }
    const at = (zone: string) => ['"2031-05-04T09:00:00"', '"2031-05-04T10:00:00"', `"${zone}"`]
    for (let times = 0; times < 3; times += 1) expect(await run('Europe/Rome')).toEqual(at('Europe/Berlin'))
    server.hold(inZone('Europe/Paris'))
    expect(await run('Europe/Rome')).toEqual(at('Europe/Paris'))
    expect(await run('Europe/Rome')).toEqual(at('Europe/Paris'))
    server.hold(inZone(null))
    expect(await run('Europe/Rome')).toEqual(at('Europe/Rome'))
    expect(await run('Europe/Madrid')).toEqual(at('Europe/Madrid'))
    expect(await run('Europe/Madrid')).toEqual(at('Europe/Madrid'))
  })

  test('a run writes all files itself if the pack of the run before cannot be read', async () => {
    const { run, packs } = await setUp()
    await run()
    await run()
    rmSync(packs[1] ?? '', { recursive: true })
    writeFileSync(packs[1] ?? '', 'its archive')
    await run()
    expect(readdirSync(packs[2] ?? '')).toEqual(expect.arrayContaining(ALL))
  })

  test('a run writes its own file if the earlier file was changed, is gone or is a symbolic link', async () => {
    const { run, shared, packs, exportLast } = await setUp()
    await run()
    await run()
    const spoils: readonly (readonly [readonly string[], (path: string) => void])[] = [
      [[], (path) => writeFileSync(path, 'unique_id\r\n')],
      [[], (path) => rmSync(path)],
      [
        ['attendees.csv'],
        (path) => {
          writeFileSync(`${path}.true`, readFileSync(path))
          rmSync(path)
          symlinkSync(`${path}.true`, path)
        },
      ],
    ]
    for (const [copied, spoil] of spoils) {
      spoil(join(packs.at(-1) ?? '', 'attendees.csv'))
      await run()
      expect(shared()).toEqual({ linked: without('attendees.csv'), copied })
      const bytes = bytesOf(packs.at(-1) ?? '')
      await exportLast()
      expect(bytesOf(packs.at(-1) ?? '')).toEqual(bytes)
    }
  })
})
