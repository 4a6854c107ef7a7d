import { expect, test } from 'vitest'
import { openPGlite } from '../../../pipeline/database/pglite.ts'
import { startScriptedSource } from '../commands/scripted-source.ts'
import { configOfA, smallEvent } from '../commands/small-event.ts'
import { makeWorkspace } from '../commands/workspace.ts'

test('a run without enough disk space fails before it reads, and its error and status say how much space is needed', async () => {
  const { url } = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('pglite')
  workspace.configure(configOfA(url))
  const directory = `${workspace.folder}/.event-sync/db`
  const grown = async (bytes: number) => {
    const database = await openPGlite(directory)
    await database.executeSql(`update sync.runs set database_bytes = database_bytes + ${bytes}
      where run_id = (select max(run_id::text)::uuid from sync.runs where database_bytes is not null)`)
    await database.close()
  }
  expect([(await workspace.run('run')).code, (await workspace.run('run')).code]).toEqual([0, 0])
  await grown(2 ** 52)
  const refused = await workspace.run('run')
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain(`the disk is too full: the embedded database in ${directory} needs about `)
  expect(refused.stderr).not.toContain('extract')
  expect(refused.stderr).toContain('MB or more and run again\n  platform untouched; safe to run again')
  const status = await workspace.run('status')
  expect(status.code).toBe(1)
  expect(status.stdout).toContain('the disk is too full: the embedded database in ')
  await grown(-(2 ** 52))
  expect((await workspace.run('run')).code).toBe(0)
})
