import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { engines } from '../../support/engines.ts'
import { runInProcess } from './in-process.ts'
import { startScriptedSource } from './scripted-source.ts'
import { smallEvent } from './small-event.ts'
import { ALL, attendeesAfterRun, beginWith, configure, KEY } from './suppress-small-event.ts'
import { makeWorkspace } from './workspace.ts'

// These tests run on both engines, because the SQL of the commands uses `distinct`, row comparisons and
// updates of a primary key.
describe.each(engines)('on %s', (engine) => {
  test('an address matches in NFC and NFD, and with its domain in Unicode or punycode [R42]', async () => {
    const { workspace, source } = await beginWith(engine, 'summit')
    const [first, ...others] = smallEvent.Users ?? []
    const withAddress = { ...(first as object), EmailAddress: 'Zoë@bücher.example' }
    const withoutId = {
      FirstName: 'Ada',
      LastName: 'Front',
      EmailAddress: 'bu\u0308ro@xn--bcher-kva.example',
    }
    source.records = { ...smallEvent, Users: [withAddress, ...others, withoutId] }
    const desk = 'büro@bücher.example'
    expect(await attendeesAfterRun(workspace, 'summit')).toEqual([desk, ...ALL])
    const by = (address: string, ...args: readonly string[]) =>
      runInProcess([...args, '--email'], { ...workspace, input: `${address}\n` })

    const suppressed = await by('zoe\u0308@XN--bcher-kva.example', 'suppress', 'summit', 'attendees')
    expect(suppressed.stdout).toContain('attendees u1 of summit will be left out')
    expect((await by('BÜRO@bu\u0308cher.example', 'suppress', 'summit', 'attendees')).code).toBe(0)
    expect(await attendeesAfterRun(workspace, 'summit')).toEqual(['u2', 'u3', 'u4'])
    expect((await by('büro@xn--bcher-kva.example', 'unsuppress', 'summit', 'attendees')).code).toBe(0)
    expect((await by('zoë@xn--bcher-kva.example', 'unsuppress', 'summit', 'attendees')).code).toBe(0)

    // The source now writes the e-mail address of the person in another form. The address in the other form
    // still belongs to the same person.
    source.records = {
      ...source.records,
      Users: [withAddress, ...others, { ...withoutId, EmailAddress: desk }],
    }
    expect(await attendeesAfterRun(workspace, 'summit')).toEqual([desk, ...ALL])

    expect((await by('zoe\u0308@bücher.example', 'forget', 'summit', 'attendees')).code).toBe(0)
    const again = { ...(first as object), Id: 'u9', EmailAddress: 'zoe\u0308@xn--bcher-kva.example' }
    source.records = { ...source.records, Users: [withAddress, again, ...others, withoutId] }
    expect(await attendeesAfterRun(workspace, 'summit')).toEqual([desk, 'u2', 'u3', 'u4'])
  })
})

test('with --json a command prints exactly one JSON object; import accepts a file with a BOM and CRLF', async () => {
  const { url } = await startScriptedSource(smallEvent)
  const workspace = await makeWorkspace('postgres')
  workspace.env.EVENT_SYNC_KEY = KEY
  configure(workspace, url, ['summit'])
  for (const args of [
    ['suppress', 'summit', 'attendees', 'u2', '--force'],
    ['suppressions', 'export', 'kept-out.json'],
    ['suppressions', 'import', 'kept-out.json'],
  ]) {
    const { code, stdout } = await workspace.start(...args, '--json').ended
    expect([code, JSON.parse(stdout)]).toMatchObject([0, {}])
  }

  const file = join(workspace.folder, 'saved-by-an-editor.json')
  writeFileSync(file, `\uFEFF${workspace.read('kept-out.json').replaceAll('\n', '\r\n')}`)
  await workspace.run('unsuppress', 'summit', 'attendees', 'u2')
  const imported = await workspace.run('suppressions', 'import', 'saved-by-an-editor.json', '--json')
  expect(JSON.parse(imported.stdout)).toMatchObject({ items: 1 })
})
