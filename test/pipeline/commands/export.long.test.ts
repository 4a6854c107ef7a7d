import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { configOfA, runIds } from './small-event.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'

const [FIRST, DEAD] = runIds

describe('a run that died after apply and has lost its output folder', () => {
  const moments = {
    'before its pack was begun': `
      delete from sync.reconciliation where run_id = '${DEAD}';
      update sync.runs set finished_at = null, previous_manifest_sha256 = null, personal_data = null, excel = null
      where run_id = '${DEAD}';
      update sync.integrations set last_pack_run = '${FIRST}'`,
    'while its pack was written': '',
  }
  test.each([
    { moment: 'before its pack was begun', command: ['run'], output: './elsewhere' },
    { moment: 'before its pack was begun', command: ['export', DEAD], output: './out' },
    { moment: 'while its pack was written', command: ['run'], output: './out' },
    { moment: 'while its pack was written', command: ['export', DEAD], output: './elsewhere' },
  ] as const)(
    'if a run died $moment, the command `$command.0` finishes it and writes its pack into $output',
    async ({ moment, command, output }) => {
      const { source, workspace } = await workspaceOfSmallEvent()
      const pack = (top: string) =>
        ['operations.jsonl', 'agenda.csv'].map((file) => workspace.read(top, 'summit', DEAD, file))
      expect((await workspace.run('run', '--run-id', FIRST)).code).toBe(0)
      const [user] = source.records.Users ?? []
      source.records = {
        ...source.records,
        Users: [...(source.records.Users ?? []), Object.assign({}, user, { Id: 'u5' })],
      }
      expect((await workspace.run('run', '--run-id', DEAD)).code).toBe(0)
      const before = pack('out')
      await workspace.rows(
        `update sync.runs set status = 'applied', manifest_sha256 = null where run_id = '${DEAD}'; ${moments[moment]}`,
      )
      rmSync(join(workspace.folder, 'out'), { recursive: true })
      workspace.configure({ ...configOfA(source.url), output })

      const { code, stderr } = await workspace.run(...command)
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('ENOENT')])
      expect(pack(output)).toEqual(before)
      for (const run of [FIRST, DEAD]) expect((await workspace.run('export', run)).code).toBe(0)
      const verified = await workspace.run('verify', join(output, 'summit'))
      expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('all intact')])
    },
  )
})
