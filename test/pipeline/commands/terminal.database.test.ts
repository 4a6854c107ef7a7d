import { expect, test } from 'vitest'
import { escaped } from '../../../pipeline/runtime/visible.ts'
import { startScriptedSource } from './scripted-source.ts'
import { integrationOfA, smallEvent } from './small-event.ts'
import { makeWorkspace } from './workspace.ts'

/**
 * One control character of each kind: bell, escape, window title, DEL, C1, writing direction, line breaks.
 */
const KINDS = ['\x07', '\x1b[2J', '\x1b]0;title\x07', '\x7f', '\u009b31m', '\u202e', '\u2066', '\u2028', '\r']
const HOSTILE = `x${KINDS.join('')}x`
const STEERS = /(?!\n|\t|\r\n)[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029]/u

/** Switches retries off, so that the test does not wait if a source fails. */
const http = { retryBudgetSeconds: 0 }

test('control characters are printed as JSON escapes, and JSON text keeps its value', () => {
  expect(escaped(`a\tb\r\nc ${HOSTILE}`)).not.toMatch(STEERS)
  expect(JSON.parse(escaped(JSON.stringify({ HOSTILE })))).toEqual({ HOSTILE })
  for (const text of ['Ada Łovelace 👩‍💻', 'می‌خواهم', '\x1b[31mred\x1b[39m']) expect(escaped(text)).toBe(text)
})

test('no command prints control characters from the source, the configuration or its arguments', async () => {
  const source = await startScriptedSource({
    ...smallEvent,
    Sessions: [
      ...(smallEvent.Sessions ?? []),
      { Id: 'evil', Title: HOSTILE, TimeSlotId: HOSTILE, RoomId: HOSTILE },
    ],
    Users: [
      ...(smallEvent.Users ?? []),
      { Id: HOSTILE, FirstName: HOSTILE, EmailAddress: HOSTILE },
      { [HOSTILE]: 1 },
    ],
  })
  const workspace = await makeWorkspace('postgres')
  workspace.configure({ http, integrations: [integrationOfA('summit', source.url)] })
  const printed: string[] = []
  const run = async (...args: readonly string[]) => {
    const { stdout, stderr } = await workspace.run(...args)
    printed.push(stdout, stderr)
    const steering = STEERS.exec(`${stdout}${stderr}`)
    expect(
      steering,
      `${args.join(' ')}: ${JSON.stringify(steering?.input.slice(steering.index - 60))}`,
    ).toBeNull()
    return stdout
  }
  await run('run')
  const { runs } = JSON.parse(await run('runs', 'summit', '--json'))
  await run('--log-level', 'debug', 'plan', 'summit', '--show-personal', '--json')
  await run('show', String(runs[0].run), '--show-personal')
  await run('quarantine', 'summit')
  await run('check', '--json')
  await run('sql', 'select source_id, title, doc from staging.a_sessions')
  await run('sql', `select "${HOSTILE}"`)
  await run('explain', 'summit', 'attendees', HOSTILE)
  await run('verify', HOSTILE)
  await run(HOSTILE)
  source.script = async () => ({ status: 500, body: HOSTILE })
  await run('run')
  workspace.configure({ integrations: [integrationOfA('summit', source.url, { [HOSTILE]: HOSTILE })] })
  await run('run')
  expect(printed.join('')).toContain('\\u009b')
})
