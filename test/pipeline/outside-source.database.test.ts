import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageRoot } from '../../pipeline/runtime/package-root.ts'
import { exampleA } from '../sources/a.ts'
import { full as fullOfPretalx } from '../sources/pretalx/full.ts'
import { servePretalx } from '../sources/pretalx/serve.ts'
import { full } from '../sources/sessionize/full.ts'
import { EXAMPLE, ONE_OF_EACH, useSessionize } from './outside-source.ts'

const PERSON = full.speakers.id

describe('a source that a configuration names by its file', () => {
  const { folder, served, before, source, write, reexport, event, select } = useSessionize()

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
    served().hold({ ...ONE_OF_EACH, speakers: [{ ...full.speakers, company: ' Engines ' }] })
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
    served().hold(ONE_OF_EACH)
  })

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
    const a = { source: { ...exampleA.source, url: before().url } }
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
