import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Served } from '../../pipeline/library/contract.ts'
import { packageRoot } from '../../pipeline/runtime/package-root.ts'
import { exampleA } from '../sources/a.ts'
import { recordsOf } from '../sources/example.ts'
import { full as fullOfPretalx } from '../sources/pretalx/full.ts'
import { servePretalx } from '../sources/pretalx/serve.ts'
import { full } from '../sources/sessionize/full.ts'
import { serveSessionize } from '../sources/sessionize/serve.ts'
import { useFolder } from '../support/folder.ts'
import { createDatabase } from '../support/postgres.ts'
import { runInProcess } from './commands/in-process.ts'

const EXAMPLE = join(packageRoot, 'test/sources/sessionize/sessionize.ts')
const PERSON = full.speakers.id
const ONE_OF_EACH = Object.fromEntries(Object.entries(full).map(([name, one]) => [name, [one]]))

describe('a source that a configuration names by its file', () => {
  const folder = useFolder()
  let served: Served
  let before: Served
  let url: string
  beforeAll(async () => {
    served = await serveSessionize(ONE_OF_EACH)
    before = await exampleA.serve(recordsOf(exampleA))
    url = await createDatabase(inject('postgresUrl'))
  })
  afterAll(() => Promise.all([served.close(), before.close()]))

  const source = (type: string, more: object = {}) => ({
    type,
    url: served.url,
    eventId: 'spring',
    timeZone: 'Europe/Vienna',
    ...more,
  })
  function write(file: string, text: string): string {
    mkdirSync(join(folder(), 'sources'), { recursive: true })
    writeFileSync(join(folder(), 'sources', file), text)
    return `./sources/${file}`
  }
  const reexport = (file: string) => write(file, `export { default } from ${JSON.stringify(EXAMPLE)}\n`)
  function event(args: readonly string[], integrations: readonly object[]) {
    const all = integrations.map((one, index) => ({
      id: ['spring', 'autumn'][index],
      content: ['agenda', 'speakers'],
      platform: { type: 'jsonl' },
      ...one,
    }))
    const config = { database: 'env:DATABASE_URL', sealingKey: 'env:KEY', integrations: all }
    writeFileSync(join(folder(), 'event-sync.yaml'), JSON.stringify(config))
    const env = { DATABASE_URL: url, KEY: Buffer.alloc(32, 7).toString('base64') }
    return runInProcess(args, { folder: folder(), env })
  }
  const select = async (query: string, integrations: readonly object[]) =>
    JSON.parse((await event(['--json', '--show-personal', 'sql', query], integrations)).stdout)

  test.each([
    ['./sources/none.ts', '', /none\.ts cannot be imported: /],
    [
      './sources/wrong.ts',
      'export default {}',
      /wrong\.ts exports no source: it must contain `export default defineSource/,
    ],
    [
      './sources/reason.ts',
      readFileSync(EXAMPLE, 'utf8').replace("'not_published'", "'turned_down'"),
      /agenda has the reason "turned_down", .*a reason of your own is written as "source_reason:NAME"/,
    ],
    [
      './sources/column.ts',
      readFileSync(EXAMPLE, 'utf8').replace('required(person.last_name', 'required(person.lastNme'),
      /column\.ts cannot be imported: speakers has no column "lastNme"; did you mean last_name\? in column\.ts, line \d+/,
    ],
    [
      './sources/no-column.ts',
      readFileSync(EXAMPLE, 'utf8').replace('required(person.last_name', 'required(people.name'),
      /no-column\.ts cannot be imported: a field or a condition has string instead of a column of a resource, such as rooms\.columns\.name and not rooms\.name/,
    ],
    [
      './sources/broken.ts',
      'throw new Error("no such luck")',
      /broken\.ts cannot be imported: no such luck in broken\.ts, line 1; correct the file or its imports/,
    ],
    ['somewhere', '', /source\.type: must be a or b, .*got "somewhere"/],
  ])(
    'the source file %s is refused with exit code 64, because it does not define a source',
    async (type, text, message) => {
      if (text !== '') write(type.replace('./sources/', ''), text)
      const { code, stderr } = await event(['run'], [{ source: source(type) }])
      expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringMatching(message) })
      expect(stderr).toMatch(/event-sync\.yaml:\d+:\d+: integrations\[0\]\.source\.type/)
    },
  )

  test('a custom source is refused if two sources share a name, if a key is unknown, or if the source lacks a content', async () => {
    const [one, other] = [reexport('one.ts'), write('other.ts', readFileSync(EXAMPLE, 'utf8'))]
    const twice = await event(['run'], [{ source: source(one) }, { source: source(other) }])
    expect(twice).toMatchObject({ code: 64, stderr: expect.stringContaining('are both called sessionize') })
    const unknown = await event(['run'], [{ source: source(one, { tracks: 'Track' }) }])
    expect(unknown).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('integrations[0].source.tracks'),
    })
    const lacking = await event(['run'], [{ source: source(one), content: ['agenda', 'attendees'] }])
    expect(lacking).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('Sessionize has no attendees; set content: [agenda, speakers]'),
    })
  })

  test('a custom source runs next to other sources; after a change of its file, records get new versions but nothing is sent again', async () => {
    const type = reexport('sessionize.ts')
    const first = await event(['--json', 'run'], [{ source: source(type) }])
    expect(JSON.parse(first.stdout).runs).toMatchObject([
      { status: 'finished', changes: { agenda: { create: 1 }, speakers: { create: 1 } } },
    ])
    write('sessionize.ts', `// Other rules.\n${readFileSync(join(folder(), type), 'utf8')}`)
    const second = await event(['--json', 'run'], [{ source: source(type) }])
    expect(JSON.parse(second.stdout).runs).toMatchObject([
      { status: 'finished', changes: { agenda: { update: 0, unchanged: 1 }, speakers: { unchanged: 1 } } },
    ])
    const { rows } = await select('select count(*)::int as versions from staging.sessionize_speakers', [
      { source: source(type) },
    ])
    expect(rows).toEqual([{ versions: 2 }])
  })

  test('if a custom source gets a new column and field, both are staged, synced and explained, and the plan is not held', async () => {
    const type = write(
      'sessionize.ts',
      readFileSync(EXAMPLE, 'utf8')
        .replace("tag_line: text('tagLine'),", "$&\n  company: text('company'),")
        .replace(
          'title: optional(person.tag_line',
          "company: optional(person.company, 'speakers.company'),\n    $&",
        ),
    )
    served.hold({ ...ONE_OF_EACH, speakers: [{ ...full.speakers, company: ' Engines ' }] })
    const ran = await event(['--json', 'run'], [{ source: source(type) }])
    expect(JSON.parse(ran.stdout).runs).toMatchObject([
      { status: 'finished', changes: { agenda: { update: 0 }, speakers: { update: 1 } } },
    ])
    const staged = await select(
      'select company from staging.sessionize_speakers where valid_to_run is null',
      [{ source: source(type) }],
    )
    expect(staged.rows).toEqual([{ company: 'Engines' }])
    const explained = await event(
      ['--show-personal', 'explain', 'spring', 'speakers', PERSON],
      [{ source: source(type) }],
    )
    expect(explained.stdout).toMatch(/company {2}"Engines"[\s\S]*\(speakers\.company\)/)
    served.hold(ONE_OF_EACH)
  })

  test('a custom source can define a reason to leave items out; an item is removed for this reason, and no check of the run fails', async () => {
    const type = write(
      'own-reason.ts',
      readFileSync(EXAMPLE, 'utf8').replace("'not_published'", "'source_reason:turned_down'"),
    )
    const sessions = (status: string) => [full.sessions, { ...full.sessions, id: '99', status }]
    for (const [status, counts, reasons] of [
      ['Accepted', { create: 1, remove: 0 }, []],
      ['Declined', { create: 0, remove: 1 }, [{ reason: 'source_reason:turned_down' }]],
    ] as const) {
      served.hold({ ...ONE_OF_EACH, sessions: sessions(status) })
      const { code, stdout } = await event(['--json', 'run'], [{ source: source(type) }])
      expect([code, JSON.parse(stdout).runs[0].changes.agenda]).toEqual([0, expect.objectContaining(counts)])
      const run = JSON.parse(stdout).runs[0].run
      const removed = `select reason from sync.changes where run_id = '${run}' and action = 'remove'`
      expect((await select(removed, [{ source: source(type) }])).rows).toEqual(reasons)
    }
    served.hold(ONE_OF_EACH)
  })

  test.each([
    ['beside its lists', { total: 2 }],
    ['with the name of the list', { total_sessions: 2 }],
    ['in an object', { meta: { totalCount: 2 } }],
  ])(
    'no item is removed if the answer is shorter than the total that it declares %s',
    async (_, beside: object) => {
      const integrations = [{ source: source(reexport('sessionize.ts')) }]
      served.hold({ ...ONE_OF_EACH, sessions: [full.sessions, { ...full.sessions, id: '77' }] })
      expect((await event(['run'], integrations)).code).toBe(0)
      served.hold({ ...ONE_OF_EACH, ...beside })
      const planned = await event(['plan'], integrations)
      expect([planned.code, planned.stdout]).toEqual([
        3,
        expect.stringMatching(
          /nothing was sent; a read was not proved complete[\s\S]*note +sessions were not proved to be read completely, so nothing is removed for them: the source declares 2 records, but gave 1: check whether `readToEnd` of Sessionize requests every page/,
        ),
      ])
      const { code, stdout } = await event(['--json', 'run'], integrations)
      expect([code, JSON.parse(stdout).runs[0].changes.agenda]).toEqual([
        3,
        expect.objectContaining({ remove: 0 }),
      ])
      served.hold(ONE_OF_EACH)
    },
  )

  test('no item is removed if a source repeats a page instead of the next page and thereby reaches its total [R78]', async () => {
    const pages = await servePretalx({})
    const integrations = [
      {
        id: 'paged',
        source: {
          type: join(packageRoot, 'pipeline/sources/examples/pretalx.ts'),
          url: pages.url,
          eventId: 'spring',
          timeZone: 'Europe/Vienna',
        },
      },
    ]
    const session = (index: number) => ({ ...fullOfPretalx.submissions, code: `S${index}` })
    const submissions = Array.from({ length: 101 }, (_, index) => session(index))
    const records = Object.fromEntries(Object.entries(fullOfPretalx).map(([name, one]) => [name, [one]]))
    pages.hold({ ...records, submissions })
    try {
      expect((await event(['run'], integrations)).code).toBe(0)
      pages.hold({ ...records, submissions: submissions.with(100, session(50)) })
      const planned = await event(['plan'], integrations)
      expect([planned.code, planned.stdout]).toEqual([
        3,
        expect.stringMatching(
          /note +submissions were not proved to be read completely, so nothing is removed for them: the source changed during each of 3 readings: 1 record came again on a later page, so other records may be missing: check whether `readToEnd` of pretalx requests every page once, in an order that does not change/,
        ),
      ])
      const { code, stdout } = await event(['--json', 'run'], integrations)
      expect([code, JSON.parse(stdout).runs[0].changes.agenda]).toEqual([
        3,
        expect.objectContaining({ remove: 0 }),
      ])
      const checked = await event(['check', 'paged'], integrations)
      expect([checked.code, checked.stdout]).toEqual([
        1,
        expect.stringMatching(/1 record came again on a later page/),
      ])
    } finally {
      await pages.close()
    }
  })

  test('if a rule of a custom source throws an error, the record is quarantined, and the error text appears nowhere', async () => {
    const type = write(
      'throwing.ts',
      readFileSync(EXAMPLE, 'utf8').replace(
        "text('lastName')",
        "column<string | null>('text', ['lastName'], ([name]) => { throw new TypeError('no ' + String(name)) })",
      ),
    )
    const ended = await event(['--log-level', 'info', 'run'], [{ source: source(type) }])
    const aside = await event(['quarantine', 'spring'], [{ source: source(type) }])
    expect([ended.code, aside.stdout]).toEqual([
      3,
      expect.stringMatching(/the rule for last_name threw TypeError in throwing\.ts, line \d+/),
    ])
    const checked = await event(['check', 'spring'], [{ source: source(type) }])
    expect(checked.stdout).toMatch(
      /none of 1 speaker can be read; the first: the rule for last_name threw TypeError in throwing\.ts/,
    )
    expect(checked.stdout).not.toContain('the id')
    const pack = JSON.parse((await event(['--json', 'runs', 'spring'], [{ source: source(type) }])).stdout)
    expect(JSON.stringify([ended, pack])).not.toContain('Lovelace')
  })

  test('if a condition of a custom source names an unknown column, the run says which column was probably meant', async () => {
    const type = write(
      'stauts.ts',
      readFileSync(EXAMPLE, 'utf8').replaceAll('at(session.status)', 'at(session.stauts)'),
    )
    const { code, stdout, stderr } = await event(['run'], [{ source: source(type) }])
    expect([code, stdout + stderr]).toEqual([
      1,
      expect.stringMatching(
        /`agenda` of Sessionize: sessions has no column "stauts"; did you mean status\? in stauts\.ts, line \d+: correct the file of the source\n/,
      ),
    ])
  })

  test('if a column has no value in any record, check says that its key in the source file may be misspelt', async () => {
    const type = write(
      'misspelt.ts',
      readFileSync(EXAMPLE, 'utf8').replace("text('tagLine')", "text('tagLnie')"),
    )
    const { stdout } = await event(['check', 'spring'], [{ source: source(type) }])
    expect(stdout).toMatch(/speakers\.tagLnie[\s\S]*its key in the source file is misspelt/)
  })

  const WRONG = '(undefined as unknown as { readonly x: string }).x'
  const broken = (file: string, before: string, after: string) => {
    const text = readFileSync(EXAMPLE, 'utf8')
    expect(text).toContain(before)
    return write(file, text.replace(before, after))
  }
  test.each([
    ['connect', 'const within = new', `void ${WRONG}; const within = new`],
    ['readToEnd', "await readPage(new URL('All', within), null)", WRONG],
    ['listOf', 'listOf: ({ name }) => name', `listOf: () => ${WRONG}`],
    ['notes', 'listOf: (', `notes: () => [${WRONG}], listOf: (`],
    ['authorization', 'listOf: (', `authorization: async () => ({ a: ${WRONG} }), listOf: (`],
    ['agenda', 'when: (', `when: (): never => { throw new RangeError('Lovelace') }, explanation: (`],
  ])(
    'a mistake in `%s` of a custom source is reported with the file and line, and is not called a bug of event-sync',
    async (name, before, after) => {
      const integrations = [{ source: source(broken(`in-${name}.ts`, before, after)) }]
      const message = new RegExp(
        `\`${name}\` of Sessionize threw (?:Type|Range)Error in in-${name}\\.ts, line \\d+`,
      )
      const ended = await event(['run'], integrations)
      expect([ended.code, ended.stdout + ended.stderr]).toEqual([1, expect.stringMatching(message)])
      if (!['connect', 'readToEnd', 'agenda'].includes(name)) return
      const checked = await event(['check', 'spring'], integrations)
      expect(checked.stdout + checked.stderr).toMatch(message)
      expect(checked.stdout + checked.stderr).toContain('correct the file of the source')
      expect(checked.stdout + checked.stderr).not.toMatch(/bug in event-sync|Lovelace/)
    },
  )

  test.each([
    [
      'returns no proof',
      "return { proof: 'unpaged array', declared: null }",
      'return undefined as never',
      /`readToEnd` of Sessionize returned no proof of the end: return \{proof, declared\}/,
    ],
    [
      'does not wait for a page',
      'await readPage(',
      'readPage(',
      /`readToEnd` of Sessionize returned before all its pages were read: await each call of `readPage`/,
    ],
  ])('a custom source whose `readToEnd` %s fails with advice', async (_, before, after, message) => {
    const type = broken('wrong-end.ts', before, after)
    const { code, stdout, stderr } = await event(['run'], [{ source: source(type) }])
    expect([code, stdout + stderr]).toEqual([1, expect.stringMatching(message)])
  })

  test.each([
    ['sessions', / {4}sessionIds: references\([\s\S]*?\n {4}\),\n/],
    ['speakers', / {4}speakerIds: references\([\s\S]*?\n {4}\),\n/],
  ])(
    'if only the %s of a custom source say who speaks where, no hint says that they lack each other',
    async (of, other) => {
      const type = write(`only-${of}.ts`, readFileSync(EXAMPLE, 'utf8').replace(other, ''))
      expect((await event(['run'], [{ source: source(type) }])).code).toBe(0)
      const { stdout } = await event(['--json', 'missing', 'spring'], [{ source: source(type) }])
      const { records } = JSON.parse(stdout)
      const reasons = records.map(({ reason }: { readonly reason: string }) => reason)
      expect(reasons).not.toContain('hint:speakersWithoutSession')
      expect(reasons).not.toContain('hint:sessionsWithoutSpeaker')
    },
  )

  test('if a custom source causes a database error with a value in its SQL, the error is reported without the value', async () => {
    const type = write(
      'casting.ts',
      readFileSync(EXAMPLE, 'utf8').replace(
        "title: optional(person.tag_line, 'speakers.tagLine')",
        `title: computed('speakers.tagLine', 'A number.', {
          from: [{ column: person.last_name }],
          value: ({ at }: Place<Options>) => sql\`to_jsonb(\${at(person.last_name)}::int)\`,
        })`,
      ),
    )
    const ended = await event(['--log-level', 'info', 'run'], [{ source: source(type) }])
    expect([ended.code, ended.stdout + ended.stderr]).toEqual([
      1,
      expect.stringContaining('invalid input syntax for type integer'),
    ])
    const runs = await event(['--json', 'runs', 'spring'], [{ source: source(type) }])
    expect(JSON.stringify([ended, runs])).not.toContain('Lovelace')
  })

  test('if a custom source is replaced by another source, its records leave staging, and forget asks for its file', async () => {
    const a = { source: { ...exampleA.source, url: before.url } }
    const rebound = await event(['--json', 'run', 'spring', '--rebind'], [a])
    expect(JSON.parse(rebound.stdout).runs).toMatchObject([{ status: 'finished' }])
    const { rows } = await select(
      'select count(*)::int as current from staging.sessionize_speakers where valid_to_run is null',
      [a],
    )
    expect(rows).toEqual([{ current: 0 }])

    const unnamed = await event(['forget', 'spring', 'speakers', PERSON], [a])
    expect(unnamed).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('was once read from a source called "sessionize"'),
    })
    const named = [a, { source: source(reexport('sessionize.ts')) }]
    const forgotten = await event(['--json', 'forget', 'spring', 'speakers', PERSON], named)
    expect(JSON.parse(forgotten.stdout)).toMatchObject({ status: 'forgotten' })
    const left = await select(
      "select count(*)::int as naming from staging.sessionize_speakers as held where held::text like '%Lovelace%'",
      [a],
    )
    expect(left.rows).toEqual([{ naming: 0 }])
    expect((await event(['purge', '--older-than', '1d', '--dry-run'], [a])).code).toBe(0)
  })
})
