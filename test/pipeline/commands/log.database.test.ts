import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { runInProcess } from './in-process.ts'
import { actionsOf, namesOf } from './log-actions.ts'
import { startScriptedSource } from './scripted-source.ts'
import { configOfA, smallEvent } from './small-event.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'
import { makeWorkspace } from './workspace.ts'

const KEY = Buffer.alloc(32, 7).toString('base64')
const OTHER_KEY = Buffer.alloc(32, 9).toString('base64')

test('log lists the actions of operators, newest first, with operator, time, run and reason', async () => {
  const { workspace } = await workspaceOfSmallEvent()
  expect((await workspace.run('log', 'summit')).stdout).toBe('nobody has done anything with summit yet\n')
  await workspace.run(
    'pause',
    'summit',
    '--until',
    '2099-05-04',
    '--reason',
    ` rooms move\n${'far '.repeat(60)}`,
  )
  await workspace.run('resume', 'summit')
  const [plan] = (await workspace.report('plan')).runs
  const hash = plan?.planHash ?? ''
  expect(
    (await workspace.run('apply', 'summit', hash, '--approver', 'A. Lovelace', '--reason', 'yes')).code,
  ).toBe(0)

  const actions = await actionsOf(workspace)
  expect(actions.map(({ action }) => action)).toEqual(['approved', 'resumed', 'paused'])
  expect(actions[0]).toEqual({
    actionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    action: 'approved',
    operator: 'A. Lovelace',
    run: plan?.run,
    until: null,
    reason: 'yes',
    detail: `plan ${hash}`,
  })
  const ids = actions.map(({ actionId }) => actionId)
  expect(ids).toEqual(ids.toSorted().toReversed())

  const { stdout } = await workspace.run('log', 'summit')
  expect(stdout).toMatch(/^time +action +operator +run +until +reason +detail\n/)
  expect(stdout).toMatch(
    new RegExp(`approved +A. Lovelace +${plan?.run?.slice(-8)} +yes +plan ${hash.slice(0, 6)}`),
  )
  expect(stdout).toMatch(/paused .* 2099-05-04 00:00Z +rooms move far/)
  expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(120)
  expect((await workspace.run('log', 'summit', '--limit', '1')).stdout).not.toContain('paused')

  const csv = (await workspace.run('log', 'summit', '--csv')).stdout.split('\r\n')
  expect(csv[0]).toBe('"integration","actionId","at","action","operator","run","until","reason","detail"')
  expect(csv[1]).toContain(`"approved","A. Lovelace","${plan?.run}",`)
  expect(csv).toHaveLength(5)
  const published = await workspace.rows('select action, made_by from published.actions order by action_id')
  expect(published.map(({ action }) => action)).toEqual(['paused', 'resumed', 'approved'])
})

test('the log contains no id of a person and no reason for a suppression, and purge does not change it', async () => {
  const { workspace } = await workspaceOfSmallEvent()
  workspace.env.KEY = KEY
  workspace.configure({ ...JSON.parse(workspace.read('event-sync.yaml')), sealingKey: 'env:KEY' })
  for (let run = 0; run < 2; run += 1) await workspace.run('run')
  await workspace.run('suppress', 'summit', 'attendees', 'u2', '--reason', 'Ada asked')
  await workspace.run('suppress', 'summit', 'attendees', 'u2')
  await workspace.run('unsuppress', 'summit', 'attendees', 'u2', '--reason', 'asked again')
  await workspace.run('suppress', 'summit', 'agenda', '101', '--reason', 'doubled')
  const forgotten = await workspace.run('forget', 'summit', 'attendees', 'u3', '--reason', 'request 17')
  expect(forgotten.code).toBe(0)
  await workspace.run('forget', 'summit', 'attendees', 'u3')
  await workspace.rows(
    "update sync.runs set started_at = started_at - interval '9 days', planned_at = planned_at - interval '9 days', applied_at = applied_at - interval '9 days', finished_at = finished_at - interval '9 days'",
  )
  const purge = ['purge', '--older-than', '3d', '--keep-runs', '1', '--packs']
  await workspace.run(...purge, '--dry-run')
  expect((await workspace.run(...purge, '--reason', 'retention')).code).toBe(0)
  const actions = await actionsOf(workspace)
  expect(
    actions.map(({ action, reason, detail }) => [action, reason, detail?.replace(/ [\w-]{20,}$/, ' …')]),
  ).toEqual([
    ['purged', 'retention', 'runs before …'],
    ['forgotten', 'request 17', expect.stringMatching(/^forgotten-[0-9a-f]+$/)],
    ['suppressed', 'doubled', 'agenda 101'],
    ['unsuppressed', 'asked again', 'attendees'],
    ['suppressed', null, 'attendees'],
    ['key_added', null, 'sealingKey …'],
  ])
  expect(JSON.stringify(actions)).not.toMatch(/"u[23]"|\bu[23]\b|Ada/)
})

test('if a key is new, changed or gone, the log names its fingerprint once', async () => {
  const source = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  const signing = () =>
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  Object.assign(workspace.env, { KEY, OTHER_KEY, SIGNING: signing() })
  const config = configOfA(source.url)
  await workspace.run('log', 'summit')
  workspace.configure(config)
  await workspace.run('run')
  expect(await namesOf(workspace)).toEqual([])
  workspace.configure({ ...config, sealingKey: 'env:KEY', audit: { signingKey: 'env:SIGNING' } })
  for (let run = 0; run < 2; run += 1) expect((await workspace.run('run')).code).toBe(0)
  const first = await namesOf(workspace)
  expect(first).toEqual([
    expect.stringMatching(/^key_added audit\.signingKey [0-9a-f]{64}$/),
    expect.stringMatching(/^key_added sealingKey [0-9a-f]{64}$/),
  ])
  await workspace.run('suppress', 'summit', 'attendees', 'u2')
  await workspace.run('run')
  const { keyCheck } = JSON.parse(workspace.read('out', 'summit', 'suppressions.json'))
  expect(first[1]).toBe(`key_added sealingKey ${keyCheck}`)

  workspace.env.SIGNING = signing()
  workspace.configure({
    ...config,
    sealingKey: 'env:OTHER_KEY',
    formerSealingKeys: ['env:KEY'],
    audit: { signingKey: 'env:SIGNING' },
  })
  const forgotten = await runInProcess(['forget', 'summit', 'attendees', 'u3'], workspace)
  expect(forgotten.code).toBe(0)
  const [person, ...keys] = (await namesOf(workspace)).slice(0, 3)
  expect(person).toMatch(/^forgotten /)
  expect(keys).toHaveLength(2)
  for (const key of keys) expect(key).toMatch(/^key_changed /)

  workspace.configure({ ...config, sealingKey: 'env:OTHER_KEY', formerSealingKeys: ['env:KEY'] })
  await workspace.run('run')
  expect((await namesOf(workspace))[0]).toBe('key_removed audit.signingKey')
})
