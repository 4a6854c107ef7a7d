import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { engines } from '../../support/engines.ts'
import { configOfA } from './small-event.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'

describe.each(engines)('on %s', (engine) => {
  test('an exclude rule may list more values than the number of parameters that an SQL statement may have', async () => {
    const { workspace, source } = await workspaceOfSmallEvent(engine)
    const others = Array.from({ length: 66_000 }, (_, index) => `${index}@people.example`)
    const where = { emailAddress: [...others, 'U2@people.example'] }
    workspace.configure(configOfA(source.url, { exclude: [{ name: 'many', content: 'attendees', where }] }))
    const [run] = (await workspace.report('run')).runs
    expect(run).toMatchObject({ status: 'finished', excluded: { 'excluded_by_rule:many': 1 } })
  })

  test('a suppressed item comes back after unsuppress, and a run is held if a rule would remove all items of a content', async () => {
    const { workspace, source } = await workspaceOfSmallEvent(engine)
    await workspace.report('run')
    await workspace.run('suppress', 'summit', 'attendees', 'u2')
    const checked = await workspace.run('check')
    expect(checked.stdout).toContain(
      engine === 'postgres'
        ? 'the next run would sync 3 of 4; left out: 1 suppressed\n'
        : 'the next run would sync 4 of 4; items that `suppress` leaves out are counted as others, since the database was not read\n',
    )
    const [run] = (await workspace.report('run')).runs
    expect(run).toMatchObject({
      status: 'finished',
      excluded: { suppressed: 1 },
      changes: { attendees: { remove: 1 } },
    })
    expect(readFileSync(join(run?.output ?? '', 'operations.jsonl'), 'utf8')).toContain(
      '"uniqueId":"u2","reason":"suppressed"',
    )
    const explained = await workspace.run('explain', 'summit', 'attendees', 'u2')
    expect(explained.stdout).toContain('event-sync unsuppress summit attendees u2')
    expect((await workspace.run('unsuppress', 'summit', 'attendees', 'u2')).code).toBe(0)
    expect((await workspace.report('run')).runs[0]?.changes.attendees).toMatchObject({ create: 1 })

    const exclude = [{ name: 'slip', content: 'agenda', unless: { name: 'nothing' } }]
    workspace.configure(configOfA(source.url, { exclude }))
    expect((await workspace.report('run')).runs[0]).toMatchObject({
      status: 'held',
      held: { guard: 'removals' },
    })
  })
})
