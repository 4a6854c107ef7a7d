import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import { startersOf } from '../../../pipeline/runtime/starter.ts'

test.each([
  ['without a launcher, the parent started the command', {}, 7, { launcher: null, starter: 7 }],
  ['with a launcher, its parent did', { EVENT_SYNC_LAUNCHED_BY: '7 5' }, 7, { launcher: 7, starter: 5 }],
  [
    'a command within a command has the variable of the other',
    { EVENT_SYNC_LAUNCHED_BY: '7 5' },
    9,
    { launcher: null, starter: 9 },
  ],
])('%s', (_, env, ppid, expected) => {
  expect(startersOf({ env, ppid })).toEqual(expected)
})

const CHILD = `
  const { startersOf, whenEnded } = await import(process.argv[1])
  whenEnded(startersOf(process).starter, () => process.stdout.write('orphaned', () => process.exit()))
  setInterval(() => undefined, 60_000)
  process.stdout.write('started ')`
const PARENT = `
  const { spawn } = require('node:child_process')
  spawn(process.execPath, process.argv.slice(1), { stdio: 'inherit' })`

test('a process notices that the process that started it was killed', async () => {
  const module = join(packageRoot, 'pipeline/runtime/starter.ts')
  const args = ['-e', PARENT, '--', '--input-type=module', '-e', CHILD, module]
  const parent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  parent.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    if (output === 'started ') parent.kill('SIGKILL')
  })
  await once(parent.stdout, 'close')
  expect(output).toBe('started orphaned')
})
