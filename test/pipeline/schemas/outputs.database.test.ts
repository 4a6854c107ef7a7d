import { expect, inject, test } from 'vitest'
import { OUTPUTS, publishedSchema } from '../../../pipeline/schemas/published.ts'
import { SEALING_KEY } from '../../harness/place.ts'
import { createDatabase } from '../../support/postgres.ts'
import { configOfA, smallEvent } from '../commands/small-event.ts'
import { workspaceOfSmallEvent } from '../commands/small-workspace.ts'
import { startReceiver } from '../observe/receiver.ts'
import { ajv, checkedOutputs, faultsOf } from './published-output.ts'

// `workspace.run` checks each output by its published schema, also in the tests of all commands. This test
// makes sure that no command is left out.
test('each command prints with --json what is published for it, and messages and manifests are as published', async () => {
  checkedOutputs.clear()
  const { source, workspace } = await workspaceOfSmallEvent()
  const receiver = await startReceiver()
  Object.assign(workspace.env, {
    EVENT_SYNC_KEY: SEALING_KEY,
    NEW_URL: await createDatabase(inject('postgresUrl')),
  })
  const config = {
    ...configOfA(source.url, { schedule: { cron: '0 * * * *', timeZone: 'UTC' } }),
    sealingKey: 'env:EVENT_SYNC_KEY',
    webhook: { url: receiver.url, on: ['held', 'failed', 'incomplete', 'finished'] },
  }
  workspace.configure(config)
  const run = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await workspace.run(...args, '--json')
    expect({ args, code, stderr }).toMatchObject({ code: expect.toBeOneOf([0, 2, 3, 4]) })
    return JSON.parse(stdout)
  }

  await run('init', '-c', 'new.yaml')
  await run('check')
  await run('notify', '--test')
  const [first] = (await run('run')).runs
  source.records = {
    ...smallEvent,
    Sessions: (smallEvent.Sessions ?? []).map((one) => Object.assign({}, one, { Title: 'Welcome' })),
  }
  const [planned] = (await run('plan')).runs
  const [second] = (await run('apply', 'summit', planned.planHash)).runs
  await run('rollback', 'summit', first.run)
  source.records = { ...smallEvent, Users: [] }
  expect((await run('run')).runs).toMatchObject([{ status: 'held' }])
  source.records = { ...smallEvent, Users: [...(smallEvent.Users ?? []), { FirstName: 'Bea' }] }
  await run('run')
  await run('pause', 'summit', '--reason', 'rooms move')
  await run('resume', 'summit')
  await run('status')
  await run('runs')
  const [last] = (await run('runs', 'summit')).runs
  await run('show', 'summit')
  await run('log', 'summit')
  await run('diff', first.run, second.run)
  await run('explain', 'summit', 'agenda', '101')
  await run('explain', 'summit', '--name', 'Ada u1')
  await run('missing', 'summit', '--name', 'Ada u1')
  await run('quarantine', 'summit')
  await run('sql', 'select * from published.agenda')
  await run('dbt-sources')
  await run('export', first.run)
  const day = last.finishedAt.slice(0, 10)
  await run('evidence', 'summit', '--from', day, '--to', day, '-o', 'audit')
  await run('verify', 'audit')
  await run('schedule')
  await run('suppress', 'summit', 'agenda', '102')
  await run('suppress', 'summit')
  await run('unsuppress', 'summit', 'agenda', '102')
  await run('forget', 'summit', 'attendees', 'u4', '--remove')
  await run('suppressions', 'export', 'kept-out.json')
  await run('suppressions', 'import', 'kept-out.json')
  await run('suppressions', 'renew', 'summit')
  await run('purge', '--older-than', '1d')
  await run('rename', 'summit', 'summit-2031')
  await run('rename', 'summit-2031', 'summit')
  await run('move', '--to', 'env:NEW_URL')
  workspace.configure({ ...config, database: 'env:NEW_URL' })
  await run('erase', 'summit', '--confirm', 'summit')
  // The command serve-database does not end; serve-database.database.test.ts checks its output.
  expect([...checkedOutputs, 'serve-database'].toSorted()).toEqual(Object.keys(OUTPUTS).toSorted())

  const messages = receiver.received.map(({ body }) => JSON.parse(body))
  expect(new Set(messages.map(({ state }) => state))).toEqual(new Set(['test', 'ended', 'begun', 'changed']))
  expect(messages.flatMap((message) => faultsOf('webhook', message))).toEqual([])
  for (const name of ['manifest', 'details'] as const) {
    const schema = publishedSchema(name)
    const isPublished = ajv.compile(schema)
    const paths = workspace.files('audit').filter((path) => path.endsWith(`${name}.json`))
    expect(paths.length).toBeGreaterThan(1)
    for (const path of paths) {
      const file = JSON.parse(workspace.read('audit', path))
      expect({ path, isPublished: isPublished(file) }).toEqual({ path, isPublished: true })
      expect(Object.keys(schema.properties ?? {})).toEqual(expect.arrayContaining(Object.keys(file)))
    }
  }
})
