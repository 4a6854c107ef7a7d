import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '../../../pipeline/commands/program.ts'
import { useFolder } from '../../support/folder.ts'
import { openTestIo } from './in-process.ts'
import { integrationOfA, runIds } from './small-event.ts'

const folder = useFolder()

async function completed(...words: readonly string[]): Promise<readonly string[]> {
  const integrations = ['summit', 'summer', 'expo'].map((id) =>
    integrationOfA(id, 'https://source-a.example'),
  )
  writeFileSync(join(folder(), 'event-sync.yaml'), JSON.stringify({ integrations }))
  mkdirSync(join(folder(), 'out', 'expo', runIds[0]), { recursive: true })
  const io = openTestIo({ folder: folder() })
  expect(await runCommand(['completion', 'bash', '--', ...words], io)).toBe(0)
  return io.output.stdout.split('\n').slice(0, -1)
}

test.each<[string, readonly string[], readonly string[]]>([
  ['a command', ['ru'], ['run', 'runs']],
  ['a command that is the beginning of another', ['run'], ['run', 'runs']],
  ['a command after an option with a value', ['-c', 'event-sync.yaml', 'chec'], ['check']],
  ['an integration', ['plan', 'sum'], ['summit', 'summer']],
  ['one more integration', ['run', 'summit', 'e'], ['expo']],
  ['a content', ['explain', 'summit', 's'], ['speakers']],
  ['a run', ['show', '01'], [runIds[0]]],
  ['an option of the command', ['run', '--fresh'], ['--fresh', '--fresh-read']],
  ['an option of all commands', ['status', '--js'], ['--json']],
  ['a value of an option', ['--log-level', 'de'], ['debug']],
  ['a topic', ['help', 'exi'], ['exit-codes']],
  ['nothing for a free value', ['sql', 'sel'], []],
  ['nothing for integrations without a configuration', ['-c', 'none.yaml', 'run', 's'], []],
])('completes %s', async (_, words, expected) => {
  expect(await completed(...words)).toEqual(expected)
})

test('bash can read the completion script without an error', async () => {
  const io = openTestIo()
  expect(await runCommand(['completion', 'bash'], io)).toBe(0)
  const says = `${io.output.stdout}\ncomplete -p event-sync`
  expect(execFileSync('bash', ['-c', says], { encoding: 'utf8' })).toContain('-F _event_sync event-sync')
})
