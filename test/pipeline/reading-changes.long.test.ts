import { describe, expect, test } from 'vitest'
import { makeRandom, type Random } from '../harness/random.ts'
import { engines } from '../support/engines.ts'
import { useFolder } from '../support/folder.ts'
import { useDatabase } from '../support/use-database.ts'
import { type Lie, type Row, startChanging, startThree } from './changing-source.ts'
import { newPlace } from './guarded-integration.ts'
import { expectMark, expectSecondReading } from './reading-changes-source.ts'

// These tests use random histories of a source that changes, deletes and cancels records and gives wrong
// answers. With CHANGES_SEEDS=200, more histories are tested.

const SEEDS = Number(process.env.CHANGES_SEEDS ?? 40)
const STEPS = 12
const OVERLAP_MS = 3_600_000

type Changing = Awaited<ReturnType<typeof startChanging>>

const GUARDS = {
  guards: { blackout: false, massUpdate: 1 },
  removals: { maxShare: 1, minCount: 1000 },
}

/** Returns the staged content of a record as text, without the time of its last change. */
const stagedOf = ({ updated_at: _, ...row }: Row) => JSON.stringify(Object.entries(row).sort())

function happen(source: Changing, random: Random, minutes: number, step: number): void {
  const names = [...source.held.keys()]
  const kinds = random.below(5)
  for (let each = 0; each < kinds; each += 1) {
    const name = random.pick(names)
    if (!source.held.has(name)) continue
    switch (random.below(7)) {
      case 0:
        if (source.held.size > 6) source.drop(name)
        break
      case 1:
        source.put(name, minutes, { cancelled_at: random.chance(0.5) ? '2031-01-01 00:00:00' : null })
        break
      case 2:
        // The source changes a record but not the time of its last change.
        source.touch(name, { company: `silent ${step}.${each}` })
        break
      case 3:
        source.put(`n${step}-${each}`, random.chance(0.3) ? minutes - 5000 : minutes)
        break
      case 4:
        // The clock of the source is wrong.
        source.put(name, minutes + random.pick([-5000, -90, 30, 3000]), { job_title: `late ${step}.${each}` })
        break
      default:
        source.put(name, minutes, { company: `told ${step}.${each}` })
    }
  }
}

function lie(source: Changing, random: Random): { readonly hidden: string | null } {
  const hidden = random.pick([...source.held.keys()])
  switch (random.below(8)) {
    case 0:
      source.lies((_, all) => all)
      return { hidden: null }
    case 1:
      source.lies(() => 422)
      return { hidden: null }
    case 2:
      source.lies((kept) => kept.filter(({ id }) => id !== hidden))
      return { hidden }
    default:
      source.lies((kept) => kept)
      return { hidden: null }
  }
}

describe.each(engines)('histories of a source that is read by changes, on %s', (engine) => {
  const database = useDatabase(engine)
  const output = useFolder()

  async function itemsOf(id: string) {
    const rows = await database()
      .kysely.selectFrom('sync.platform_items')
      .where('integration_id', '=', id)
      .select(['unique_id', 'fields'])
      .execute()
    return new Map(rows.map(({ unique_id, fields }) => [unique_id, fields]))
  }

  test(`in ${SEEDS} random histories each full reading ends in the state of the source, and reports the misses`, async () => {
    const seen = { changes: 0, full: 0, missed: 0 }
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const random = makeRandom(seed)
      const id = `history-${seed}`
      const place = { database: database(), output: output(), id }
      const source = await startChanging(place, { mode: 'changes', fullEvery: '5h' }, GUARDS)
      for (let at = 1; at <= 12; at += 1) source.put(`r${at}`, -3000 + at)
      let minutes = 0
      let staged = new Map<string, string>()
      let mark: string | null = null
      let isReadByChanges = false
      for (let step = 1; step <= STEPS; step += 1) {
        const { hidden } = lie(source, random)
        if (step > 1) happen(source, random, minutes, step)
        const before = await itemsOf(id)
        const options = { full: random.chance(0.15), changes: false }
        if (!options.full) options.changes = random.chance(0.6)
        const ended = await source.run(options)
        const where = `seed ${seed}, step ${step}`
        const since: string | null =
          mark === null
            ? null
            : new Date(Date.parse(`${mark.replace(' ', 'T')}Z`) - OVERLAP_MS)
                .toISOString()
                .slice(0, 19)
                .replace('T', ' ')
        const live = new Map([...source.held].map(([name, row]) => [name, row]))
        for (const operation of ended.sent) {
          const [op, name = ''] = operation.split(' ')
          const row = live.get(name)
          const mayGo = row === undefined ? ended.reading === 'full' : row.cancelled_at != null
          if (op === 'remove') expect([where, name, mayGo]).toEqual([where, name, true])
        }
        if (ended.reading === 'full') {
          seen.full += 1
          const wanted = [...live].filter(([, row]) => row.cancelled_at == null)
          const items = await itemsOf(id)
          expect([where, [...items.keys()].sort()]).toEqual([where, wanted.map(([name]) => name).sort()])
          for (const [name, row] of wanted) {
            const { company = null, title = null } = Object(items.get(name)) as Row
            expect([where, name, company, title]).toEqual([
              where,
              name,
              row.company ?? null,
              row.job_title ?? null,
            ])
          }
          const differing = [...live].filter(([name, row]) => staged.get(name) !== stagedOf(row))
          const missed = differing.filter(
            ([name, row]) => since !== null && (String(row.updated_at) < since || name === hidden),
          )
          const told = ended.missed?.registrants?.count ?? 0
          expect([where, told]).toEqual([where, isReadByChanges ? missed.length : 0])
          expect([where, ended.code]).toEqual([where, told > 0 ? 3 : 0])
          if (told > 0) seen.missed += 1
          staged = new Map([...live].map(([name, row]) => [name, stagedOf(row)]))
          isReadByChanges = false
        } else {
          seen.changes += 1
          expect([where, ended.code, ended.since]).toEqual([where, 0, since])
          for (const [name, row] of live) {
            if (since !== null && String(row.updated_at) >= since && name !== hidden)
              staged.set(name, stagedOf(row))
          }
          isReadByChanges = true
          // All items must stay, except items whose records state their removal.
          const after = await itemsOf(id)
          for (const name of before.keys()) {
            const isKept = after.has(name) || live.get(name)?.cancelled_at != null
            expect([where, name, isKept]).toEqual([where, name, true])
          }
        }
        mark = ended.report.readings?.registrants?.mark ?? null
        source.wait(1)
        minutes += 60
      }
    }
    expect(seen.changes).toBeGreaterThan(SEEDS)
    expect(seen.full).toBeGreaterThan(SEEDS)
    expect(seen.missed).toBeGreaterThan(SEEDS / 4)
  }, 1_200_000)
})

describe.each(engines)('reading by changes, on %s', (engine) => {
  const database = useDatabase(engine)

  test('the metrics count a record once that several readings by changes read because of their overlap', async () => {
    const source = await startThree(database())
    expect(await source.run({ full: true })).toMatchObject({ counted: 4 })
    source.put('r2', 5, { company: 'Mill' })
    // The overlap contains r4.
    expect(await source.run()).toMatchObject({ certificate: { elements: '2' }, counted: 1 })
    expect(await source.run()).toMatchObject({ certificate: { elements: '2' }, counted: 0 })
    source.put('r2', 6, { company: 'Works' })
    source.put('r5', 7)
    expect(await source.run()).toMatchObject({ certificate: { elements: '3' }, counted: 2 })
  })

  test.each<[string, Lie]>([
    ['finds nothing', () => []],
    ['cuts off the answer', (kept) => kept.slice(0, 1)],
    ['refuses the request', () => 422],
    ['returns an unreadable record', (kept) => [...kept, 7 as unknown as Row]],
  ])('reads all records again if a source that is asked for ids %s', (_, lie) =>
    expectSecondReading(database(), lie),
  )

  test.each<[string, number | null, number, number]>([
    ['a year ahead of the source does not become the mark', 0, 525_600, 0],
    ['ahead of this machine but not of the source becomes the mark', 10 * 60, 10 * 60, 10 * 60],
    ['ahead of the source but not of this machine does not become the mark', -3 * 60, -60, -300],
    ['less than a day ahead of this machine becomes the mark if the source sends no date', null, 1380, 1380],
    [
      'more than a day ahead of this machine does not become the mark if the source sends no date',
      null,
      1500,
      0,
    ],
  ])('a time %s [R23]', (_, itIs, minutes, mark) => expectMark(database(), itIs, minutes, mark))

  test('if every time is ahead of the source, all records are read, and the run says why', async () => {
    const source = await startChanging(newPlace(database()))
    for (const name of ['r1', 'r2']) source.put(name, 120)
    await source.run()
    const ended = await source.run()
    expect(ended).toMatchObject({ code: 0, reading: 'full', sent: [] })
    expect(ended.report.notes?.join()).toContain('no record has a updated_at to start from')
    expect(ended.report.notes?.join()).toContain('2 records have an updated_at too far in the future')
  })

  test('with --rebind or in mode full all records are read; after a change to mode changes, the first reading is full', async () => {
    const source = await startThree(database())
    expect(await source.run({ rebind: true })).toMatchObject({ reading: 'full', full: '--rebind', code: 0 })
    const off = await source.run({}, { reading: { mode: 'full' } })
    expect(off).toMatchObject({ reading: 'full', sent: [], searches: [] })
    expect(off.report.readings).toBeUndefined()
    expect(off.figure.missed_by_changes).toBeUndefined()
    expect(await source.run()).toMatchObject({
      reading: 'full',
      sent: [],
      full: expect.stringContaining('first'),
    })
    expect((await source.run()).reading).toBe('changes')
  })
})
