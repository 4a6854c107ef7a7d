import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readCsv, readPack } from '../../harness/read-pack.ts'
import { engines } from '../../support/engines.ts'
import { configOfA, smallEvent } from './small-event.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'

/** The small event with custom fields of a customer: credits of sessions, company and diet of people. */
const ownEvent = {
  ...smallEvent,
  Sessions: (smallEvent.Sessions ?? []).map((session, index) => ({
    ...(session as object),
    Credits: index === 0 ? '1.50' : 'many',
  })),
  Users: (smallEvent.Users ?? []).map((user, index) => ({
    ...(user as object),
    Company: index === 3 ? ' TEST ' : 'Ours',
    answers: { Diet: index === 1 ? 'canary soup' : null },
  })),
}

const OWN = {
  fields: {
    agenda: { credits: { from: 'credits', as: 'number' } },
    attendees: { diet: 'Answers.Diet' },
  },
  exclude: [
    { name: 'test-people', content: 'attendees', where: { company: 'test' } },
    { name: 'nobody', content: 'attendees', where: { company: 'tset' } },
  ],
}
const IDLE = 'leaves out 0 items of attendees: none that the rules before it leave matches'

/** Returns the cells of one column of a CSV file. */
const cells = (folder: string, content: string, column: string) =>
  readCsv(join(folder, `${content}.csv`)).map((row) => row[column])

describe.each(engines)('on %s', (engine) => {
  test('operations, files, SQL, check and explain show custom fields and the effect of exclude rules', async () => {
    const { workspace, source } = await workspaceOfSmallEvent(engine)
    source.records = ownEvent
    workspace.configure(configOfA(source.url, OWN))
    const checked = await workspace.run('check')
    expect(checked.stdout).toMatch(
      /ok +fields\.agenda\.credits +credits has a value in 1 of 2 sessions; unusable in 1/,
    )
    expect(checked.stdout).toMatch(/ok +fields\.attendees\.diet +Answers\.Diet has a value in 1 of 4 users/)
    expect(checked.stdout).toMatch(/ok +exclude\.test-people +leaves out 1 item of attendees\n/)
    expect(checked.stdout).toMatch(new RegExp(`not checkable +exclude\\.nobody .*\n +seen: +${IDLE}\n`))
    const warned = `the rule nobody of exclude ${IDLE}; compare its fields and values with what the source gives`
    expect((await workspace.run('plan')).stdout).toContain(`note       ${warned}\n`)
    const { runs, stderr } = await workspace.report('run')
    expect(stderr).toContain('excluded_by_rule:test-people 1')
    expect(runs[0]?.notes).toEqual([warned])
    const folder = runs[0]?.output ?? ''
    expect(runs[0]?.excluded).toMatchObject({ 'excluded_by_rule:test-people': 1 })
    const operations = readFileSync(join(folder, 'operations.jsonl'), 'utf8')
    expect(operations).toContain('"custom":{"credits":1.50}')
    expect(cells(folder, 'agenda', 'custom.credits')).toEqual(['1.50', null])
    expect(readPack(folder).decisions.find((row) => row.sourceId === '102')?.detail).toBe(
      'left_out:custom.credits',
    )
    const asked = await workspace.run(
      'sql',
      'select custom from published.agenda order by unique_id',
      '--format',
      'csv',
    )
    expect(asked.stdout).toBe('"custom"\r\n"{""credits"": 1.50}"\r\n\r\n')
    const explained = await workspace.run('explain', 'summit', 'attendees', 'u4')
    expect(explained.stdout).toContain('The exclude rule test-people leaves it out, because of company.')
    const hidden = await workspace.run('explain', 'summit', 'attendees', 'u2')
    expect(hidden.stdout).toMatch(/custom\.diet {2}\(hidden\)\n +from +users u2 \$\.Answers\.Diet\n/)
    expect(hidden.stdout).not.toContain('canary')
    expect((await workspace.run('verify', folder)).code).toBe(0)
  })

  test('masked packs mask the custom fields of people, and forget deletes these fields from the database', async () => {
    const { workspace, source } = await workspaceOfSmallEvent(engine)
    source.records = ownEvent
    workspace.env.KEY = Buffer.alloc(32, 7).toString('base64')
    const config = configOfA(source.url, OWN)
    workspace.configure({ ...config, audit: { personalData: 'masked' }, sealingKey: 'env:KEY' })
    const { runs } = await workspace.report('run')
    const folder = runs[0]?.output ?? ''
    expect(cells(folder, 'attendees', 'custom.diet')).toEqual([null, 'masked', null])
    expect(cells(folder, 'agenda', 'custom.credits')).toEqual(['1.50', null])
    await workspace.run('suppress', 'summit', 'attendees', 'u2')
    expect((await workspace.run('forget', 'summit', 'attendees', 'u2')).code).toBe(0)
    const left = await workspace.run(
      'sql',
      "select 1 as left from staging.a_users where custom::text like '%canary%' union all select 1 from sync.desired_items where fields::text like '%canary%' union all select 1 from sync.suppressed",
      '--format',
      'csv',
    )
    expect(left.stdout).toBe('"left"\r\n')
  })
})
