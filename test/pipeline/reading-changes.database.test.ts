import { describe, expect, test } from 'vitest'
import { engines } from '../support/engines.ts'
import { useDatabase } from '../support/use-database.ts'
import { type Lie, startChanging, startThree } from './changing-source.ts'
import { newPlace } from './guarded-integration.ts'
import { expectMark, expectSecondReading } from './reading-changes-source.ts'

describe.each(engines)('reading by changes, on %s', (engine) => {
  const database = useDatabase(engine)
  test('reading by changes requests changes after the mark minus the overlap; other records stay and are counted as unseen', async () => {
    const source = await startThree(database())
    source.put('r2', 5, { company: 'Mill' })
    const ended = await source.run()
    expect(ended).toMatchObject({
      code: 0,
      reading: 'changes',
      full: null,
      since: source.at(-60),
      missed: {},
      sent: ['upsert r2'],
      searches: [`updated_at>=${source.at(-60)}`],
    })
    expect(ended.certificate).toMatchObject({
      certified: 'true',
      elements: '2',
      declared: '2',
      detail: `changes since ${source.at(-60)}`,
    })
    expect(ended.figure).toMatchObject({ read: '2', staged: '2', unseen: '2', missed_by_changes: '0' })
    expect(await source.run()).toMatchObject({ since: source.at(-55), sent: [] })
  })

  test('reading by changes makes no version of an unchanged record, and removes a cancelled record but not a deleted record', async () => {
    const source = await startThree(database())
    source.put('r1', 1)
    source.put('r2', 2, { cancelled_at: '2031-01-01 00:00:00' })
    source.drop('r3')
    expect(await source.run()).toMatchObject({ reading: 'changes', sent: ['remove r2'] })
    const full = await source.run({ full: true })
    expect(full).toMatchObject({ reading: 'full', full: '--full', sent: ['remove r3'], missed: {}, code: 0 })
    expect(full.certificate).toMatchObject({ confirmed: 'true' })
  })

  test('reading by changes requests a missing record by its id, together with known ids, instead of reading all records again', async () => {
    const source = await startThree(database())
    source.hides('r3', 9)
    const back = await source.run({ full: true })
    expect(back).toMatchObject({ code: 0, sent: [], searches: ['id=*in*r1|r3|r4'] })
    expect(back.certificate).toMatchObject({ confirmed: 'true', requests: '2', elements: '4' })
    expect(back.certificate.detail).toMatch(/found 1 record/)
    source.drop('r3')
    const gone = await source.run({ full: true })
    expect(gone).toMatchObject({ code: 0, sent: ['remove r3'], searches: ['id=*in*r1|r3|r4'] })
    expect(gone.certificate).toMatchObject({ confirmed: 'true', requests: '2', elements: '3' })
  })

  test.each<[string, Lie]>([['ignores the request', (_, all) => all]])(
    'reads all records again if a source that is asked for ids %s',
    (_, lie) => expectSecondReading(database(), lie),
  )

  test('if a record loses a required field, reading by changes keeps its item until a full reading also finds no value', async () => {
    const source = await startThree(database())
    source.put('r2', 1, { email: '' })
    const ended = await source.run()
    expect(ended).toMatchObject({ sent: [], report: { kept: 1 }, code: 0 })
    expect(ended.report.excluded).toEqual({ 'missing_required:emailAddress': 1 })
    expect((await source.run({ full: true })).sent).toEqual(['remove r2'])
  })

  test('if the source gives wrong answers to a search for changes, all records are read, and the run says why and exits with 0', async () => {
    const source = await startThree(database())
    const lies: readonly (readonly [Lie, string])[] = [
      [(_, all) => all, 'it has a record that was changed before that'],
      [(kept) => kept.slice(0, -1), 'the record that changed last is not among them'],
      [() => 400, 'the source answered 400'],
      [() => 404, 'the source answered 404'],
      [() => 422, 'the source answered 422'],
      [(kept) => [...kept, ...kept], 'a record came twice'],
      [(kept) => kept.map(({ updated_at: _, ...row }) => row), 'a record does not say'],
      [(kept) => kept.map((row) => ({ ...row, id: null })), 'cannot be read'],
    ]
    for (const [lie, why] of lies) {
      source.lies(lie)
      const ended = await source.run()
      expect(ended).toMatchObject({ code: 0, reading: 'full', sent: [], full: expect.stringContaining(why) })
      expect(ended.certificate.detail).toContain(why)
      expect(ended.report.notes?.join()).toContain(why)
    }
    source.lies(() => 403)
    await expect(source.run()).rejects.toThrow('answered 403')
    source.lies((kept) => kept)
    source.leavesTotalOut()
    expect(await source.run()).toMatchObject({ reading: 'full', full: expect.stringContaining('no total') })
  })

  test('a miss is reported with its fields and exit code 3, and later runs read all records until --changes is given', async () => {
    const source = await startThree(database())
    await source.run()
    source.touch('r1', { company: 'Mill', job_title: 'Miller' })
    source.put('r9', -3000)
    source.put('r4', 5, { company: 'Honest' })
    const found = await source.run({ full: true })
    expect(found).toMatchObject({
      code: 3,
      sent: ['upsert r1', 'upsert r4', 'upsert r9'],
      missed: { registrants: { count: 2, fields: { '(new)': 1, company: 1, job_title: 1 } } },
      figure: { missed_by_changes: '2', brought_by_full_reading: '1' },
    })
    expect(Object.keys(found.missed?.registrants?.fields ?? {})).toEqual(['(new)', 'company', 'job_title'])
    const after = await source.run()
    expect(after).toMatchObject({ code: 0, reading: 'full', missed: {} })
    expect(after.report.notes?.join()).toContain('--changes')
    expect(await source.run({ changes: true })).toMatchObject({ code: 0, reading: 'changes' })
    expect(await source.run()).toMatchObject({ code: 0, reading: 'changes', report: { notes: [] } })
  })

  test('status shows how records are read and what this means, and after a miss how to read by changes again', async () => {
    const source = await startThree(database())
    await source.run()
    const before = await source.status()
    expect(before).toMatchObject({
      state: 'up to date',
      reason: null,
      reading: 'changes',
      readings: { registrants: { mark: source.at(0), since: source.at(-60), full: null } },
    })
    expect(before.text).toContain(
      'a record deleted at the source stays, with its item, until the next full reading',
    )
    expect(before.text).toContain(String(before.readings?.registrants?.nextFull))

    source.touch('r1', { company: 'Mill' })
    const { report } = await source.run({ full: true })
    const found = await source.status()
    expect(found).toMatchObject({ state: 'incomplete', code: 3 })
    expect(found.reason?.match(/--changes/g)).toHaveLength(1)
    await source.run()
    const later = await source.status()
    expect(later).toMatchObject({
      state: 'up to date',
      code: 0,
      reading: 'full',
      reason: `run ${report.run} found 1 record of registrants that readings of changes missed; \`event-sync run ${report.integration} --changes\` reads by changes again`,
    })
    expect(later.text).toContain(`: ${later.reason}\n`)
    await source.run({ changes: true })
    expect(await source.status()).toMatchObject({ reason: null, reading: 'changes' })
  })

  test('in reading by changes, all records are read when 90 % of the interval has passed', async () => {
    const source = await startThree(database(), { mode: 'changes', fullEvery: '10h' })
    source.wait(8.9)
    expect((await source.run()).reading).toBe('changes')
    source.wait(0.2)
    expect(await source.run()).toMatchObject({ reading: 'full', full: expect.stringContaining('is due') })
    expect((await source.run()).reading).toBe('changes')
  })

  test('if a record has no time, all records are read, and the run says how many have no time', async () => {
    const source = await startChanging(newPlace(database()))
    source.put('r1', 0)
    source.put('r2', 0)
    source.touch('r2', { updated_at: '2031-01-01T00:00:00' })
    await source.run()
    const ended = await source.run()
    expect(ended).toMatchObject({ reading: 'full', code: 0 })
    expect(ended.report.notes?.join()).toContain('1 record without a readable updated_at')
  })

  test.each<[string, number | null, number, number]>([
    ['an hour or more ahead of the source does not become the mark', 0, 61, 0],
    ['less than an hour ahead of the source becomes the mark', 0, 59, 59],
  ])('a time %s [R23]', (_, itIs, minutes, mark) => expectMark(database(), itIs, minutes, mark))

  test('a time ahead of the source does not move the mark, but its record is read', async () => {
    const source = await startThree(database())
    source.put('r2', 120, { company: 'Mill' })
    source.put('r3', 5, { company: 'Mill' })
    const ended = await source.run()
    expect(ended).toMatchObject({ code: 0, reading: 'changes', sent: ['upsert r2', 'upsert r3'] })
    expect(ended.report.notes?.join()).toContain('1 record has an updated_at too far in the future')
    expect(await source.run()).toMatchObject({ reading: 'changes', since: source.at(-55), sent: [] })
  })

  test('after a new field is configured, all records are read once, without a note and without a miss', async () => {
    const source = await startThree(database())
    await source.run()
    source.touch('r1', { mail: 'other@people.example' })
    const fields = { fields: { email: 'mail' } }
    const ended = await source.run({}, fields)
    expect(ended).toMatchObject({ reading: 'full', full: expect.stringContaining('options'), missed: {} })
    expect(ended.report.notes).toEqual([])
    expect((await source.run({}, fields)).reading).toBe('changes')
  })

  test('plan also reads by changes and moves the mark; plan --full reads all records and sends nothing', async () => {
    const source = await startThree(database())
    source.put('r2', 5, { company: 'Mill' })
    source.drop('r3')
    const planned = await source.run({ command: 'plan' })
    expect(planned).toMatchObject({
      code: 2,
      reading: 'changes',
      report: { changes: { attendees: { remove: 0 } } },
    })
    const full = await source.run({ command: 'plan', full: true })
    expect(full).toMatchObject({
      code: 2,
      reading: 'full',
      full: '--full',
      sent: [],
      report: { status: 'planned', changes: { attendees: { update: 1, remove: 1 } } },
    })
    // The full reading moved the mark, so the next run reads only changes and sends what was planned.
    expect(await source.run()).toMatchObject({
      reading: 'changes',
      since: source.at(-55),
      sent: ['upsert r2', 'remove r3'],
    })
  })

  test('if a session is removed, items whose records were not read lose the reference to it, and get it back with the session', async () => {
    const source = await startChanging(
      newPlace(database()),
      { mode: 'changes' },
      { content: ['agenda', 'speakers', 'attendees'] },
    )
    source.putSession('s1', -3000)
    source.putSession('s2', 0)
    for (const name of ['r1', 'r2']) source.put(name, -3000, { session_ids: ['s1', 's2'] })
    source.put('r3', 0, { reg_type_id: 901, session_ids: [] })
    await source.run()
    source.putSession('s1', 5, { name: '' })
    const gone = await source.run()
    expect(gone).toMatchObject({ code: 0, reading: 'changes', report: { kept: 1 } })
    expect(gone.sent).toEqual(['upsert r1', 'upsert r2', 'upsert r1', 'upsert r2'])
    source.putSession('s1', 10, { name: 'Again' })
    expect((await source.run()).sent).toEqual([
      'upsert r1',
      'upsert r2',
      'upsert r1',
      'upsert r2',
      'upsert s1',
    ])
    source.dropSession('s1')
    expect(await source.run()).toMatchObject({
      reading: 'changes',
      report: {
        readings: {
          registrants: { full: null },
          sessions: { full: expect.stringContaining('the record that changed last is not among them') },
        },
      },
      sent: ['upsert r1', 'upsert r2', 'upsert r1', 'upsert r2', 'remove s1'],
    })
  })

  test('after the person whose record determined the mark is forgotten, all records are read once', async () => {
    const source = await startThree(database())
    await source.forget('r4')
    expect(await source.run()).toMatchObject({
      reading: 'full',
      code: 0,
      full: expect.stringContaining('was forgotten'),
    })
    expect((await source.run()).reading).toBe('changes')
  })

  test('if a field is empty in all changed records, the run is held, and a held run moves the mark', async () => {
    const source = await startChanging(newPlace(database()))
    for (let at = 0; at < 60; at += 1) source.put(`r${at}`, at < 30 ? -3000 : 0, { company: 'Mill' })
    await source.run()
    for (let at = 30; at < 60; at += 1) source.put(`r${at}`, 5, { company: null })
    const held = await source.run()
    expect(held).toMatchObject({ code: 4, reading: 'changes' })
    expect(held.report.held).toMatchObject({ guard: 'blackout' })
    expect((await source.run()).since).toBe(source.at(-55))
  })
})
