import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Served } from '../../pipeline/library/contract.ts'
import { CommandError, open } from '../../pipeline/library/index.ts'
import { exampleA } from '../sources/a.ts'
import { recordsOf } from '../sources/example.ts'
import { useFolder } from '../support/folder.ts'
import { createDatabase } from '../support/postgres.ts'

describe('a project', () => {
  const folder = useFolder()
  const records = recordsOf(exampleA)
  let served: Served
  let url: string
  beforeAll(async () => {
    served = await exampleA.serve(records)
    url = await createDatabase(inject('postgresUrl'))
  })
  afterAll(() => served.close())

  const config = (more: object = {}) => ({
    database: 'env:DATABASE_URL',
    integrations: [
      { id: 'summit', source: { ...exampleA.source, url: served.url }, platform: { type: 'jsonl' }, ...more },
    ],
  })
  const project = (more: object = {}, top: object = {}) =>
    open({
      config: { ...config(more), ...top },
      folder: folder(),
      env: { ...exampleA.env, DATABASE_URL: url },
    })

  test('the library checks, plans, applies, lists and verifies a project with the same results as the commands print', async () => {
    const { checks, integrations, exitCode } = await project().check()
    expect({ exitCode, failed: checks.filter(({ status }) => status === 'failed') }).toEqual({
      exitCode: 0,
      failed: [],
    })
    expect(integrations.summit?.agenda?.synced).toBe(1)

    const planned = await project().plan(['summit'], { sample: 1, showPersonal: true })
    const [plan] = planned.runs
    expect({ exitCode: planned.exitCode, status: plan?.status, total: plan?.plan?.total }).toEqual({
      exitCode: 2,
      status: 'planned',
      total: 3,
    })
    expect(plan?.plan?.changes.map(({ uniqueId }) => uniqueId)).toEqual(['S1', 'U1', 'U1'])

    const applied = await project().apply('summit', plan?.planHash ?? '', { approver: 'Ada' })
    expect(applied).toMatchObject({ exitCode: 0, runs: [{ status: 'finished' }] })
    const ran = await project().run()
    expect(ran).toMatchObject({ exitCode: 0, runs: [{ status: 'finished', integration: 'summit' }] })
    const { runs } = await project().runs('summit', { limit: 5 })
    expect(runs.map(({ status }) => status)).toEqual(['finished', 'finished'])
    expect((await project().verify(ran.runs[0]?.output ?? '')).packs).toMatchObject([{ findings: [] }])
  })

  test('if a run is held, the library resolves with the exit code of a hold', async () => {
    served.hold(recordsOf(exampleA, { users: [] }))
    const held = await project().run()
    expect(held).toMatchObject({ exitCode: 4, runs: [{ status: 'held', held: { guard: 'emptied' } }] })
    served.hold(records)
  })

  test('if the configuration is another file than event-sync.yaml, the commands in texts name it', async () => {
    writeFileSync(join(folder(), 'other.yaml'), JSON.stringify(config({ id: 'other' })))
    const texts: string[] = []
    const onText = (text: string) => void texts.push(text)
    const other = open({
      config: 'other.yaml',
      folder: folder(),
      env: { ...exampleA.env, DATABASE_URL: await createDatabase(inject('postgresUrl')) },
      onText,
    })
    expect(await other.plan()).toMatchObject({ exitCode: 2 })
    expect(texts.join('')).toMatch(/event-sync -c other\.yaml apply other/)
    expect(texts.join('')).not.toMatch(/event-sync (?:apply|plan|run) /)
  })

  test('if the configuration is wrong, the library rejects with the text and the exit code of the command', async () => {
    const error = await project({ content: ['posters'] })
      .run()
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(CommandError)
    expect(error).toMatchObject({ exitCode: 64, message: expect.stringContaining('integrations[0].content') })
    // The configuration is an object and not a file, so the error names no file and no line.
    expect(String(error)).toMatch(/the configuration has 1 error\n {2}integrations\[0\]\.content/)
    expect(String(error)).not.toMatch(/event-sync\.yaml|:1:/)
  })

  // Windows does not have file modes.
  test.runIf(process.platform !== 'win32').each(['000', '077'])(
    'with the umask %s of the caller, files have the modes of output.mode, also if two calls with different modes run at once, and the umask stays the same',
    async (bits) => {
      const umask = Number.parseInt(bits, 8)
      const before = process.umask(umask)
      try {
        const bitsOf = (path: string) => statSync(path).mode & 0o777
        const run = async (mode: 'private' | 'group') => {
          const id = `${mode}-${bits}`
          const ran = await project({ id }, { output: { folder: id, mode } }).run([id], { fresh: true })
          expect(ran).toMatchObject({ exitCode: 0, runs: [{ status: 'finished' }] })
          expect(process.umask()).toBe(umask)
          const out = join(folder(), id)
          const paths = readdirSync(out, { recursive: true, encoding: 'utf8' }).map((name) => join(out, name))
          return new Set([out, ...paths].map(bitsOf))
        }
        const [own, ofGroup] = await Promise.all([run('private'), run('group')])
        expect([own, ofGroup]).toEqual([new Set([0o700, 0o600]), new Set([0o750, 0o640])])
        await expect(
          project({}, { output: { mode: 'public' }, database: 'env:MISSING' }).run(),
        ).rejects.toThrow()
        expect(process.umask()).toBe(umask)
      } finally {
        process.umask(before)
      }
    },
  )

  test('the library stops a run that hangs in a read if its caller aborts, and the next run works', async () => {
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const address = silent.address()
    const at = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    const stop = new AbortController()
    silent.once('request', () => stop.abort(new Error('enough')))
    const hangs = { source: { ...exampleA.source, url: at } }
    const run = project(hangs).run(['summit'], { signal: stop.signal, rebind: true })
    await expect(run).rejects.toThrow('enough')
    silent.closeAllConnections()
    silent.close()
    expect(await project().run([], { rebind: true })).toMatchObject({ exitCode: 0 })
    await expect(project().run([], { signal: stop.signal })).rejects.toThrow('enough')
  })
})
