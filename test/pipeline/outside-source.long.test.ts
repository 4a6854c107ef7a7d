import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { full } from '../sources/sessionize/full.ts'
import { EXAMPLE, ONE_OF_EACH, useSessionize } from './outside-source.ts'

const WRONG = '(undefined as unknown as { readonly x: string }).x'

describe('a source that a configuration names by its file', () => {
  const { served, source, write, reexport, broken, event, select } = useSessionize()

  test('a custom source can define a reason to leave items out; an item is removed for this reason, and no check of the run fails', async () => {
    const type = write(
      'own-reason.ts',
      readFileSync(EXAMPLE, 'utf8').replace("'not_published'", "'source_reason:turned_down'"),
    )
    const sessions = (status: string) => [full.sessions, { ...full.sessions, id: '99', status }]
    for (const [status, counts, reasons] of [
      ['Accepted', { create: 2, remove: 0 }, []],
      ['Declined', { create: 0, remove: 1 }, [{ reason: 'source_reason:turned_down' }]],
    ] as const) {
      served().hold({ ...ONE_OF_EACH, sessions: sessions(status) })
      const { code, stdout } = await event(['--json', 'run'], [{ source: source(type) }])
      expect([code, JSON.parse(stdout).runs[0].changes.agenda]).toEqual([0, expect.objectContaining(counts)])
      const run = JSON.parse(stdout).runs[0].run
      const removed = `select reason from sync.changes where run_id = '${run}' and action = 'remove'`
      expect((await select(removed, [{ source: source(type) }])).rows).toEqual(reasons)
    }
    served().hold(ONE_OF_EACH)
  })

  test.each([
    ['beside its lists', { total: 2 }],
    ['with the name of the list', { total_sessions: 2 }],
    ['in an object', { meta: { totalCount: 2 } }],
  ])(
    'no item is removed if the answer is shorter than the total that it declares %s',
    async (_, beside: object) => {
      const integrations = [{ source: source(reexport('sessionize.ts')) }]
      served().hold({ ...ONE_OF_EACH, sessions: [full.sessions, { ...full.sessions, id: '77' }] })
      expect((await event(['run'], integrations)).code).toBe(0)
      served().hold({ ...ONE_OF_EACH, ...beside })
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
      served().hold(ONE_OF_EACH)
    },
  )

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
})
