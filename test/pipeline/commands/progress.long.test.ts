import { expect, onTestFinished, test, vi } from 'vitest'
import { ESC, expectNoStep } from './progress-steps.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'

test.each([
  ['--quiet', true],
  ['--log-level=info', true],
])('no step is shown with the option %s (terminal: %s)', (option, isTerminal) =>
  expectNoStep(option, isTerminal),
)

test('check and verify use colours on a terminal, unless --no-color is given', async () => {
  const { workspace } = await workspaceOfSmallEvent()
  const { output } = (await workspace.report('run')).runs[0] ?? {}
  vi.stubEnv('FORCE_COLOR', undefined)
  const commands = [['check'], ['verify', String(output)], ['run']]
  for (const args of commands) expect((await workspace.run(...args)).stdout).not.toContain(ESC)
  vi.stubEnv('FORCE_COLOR', '1')
  onTestFinished(() => void vi.unstubAllEnvs())
  const [checked, verified, ran] = [
    await workspace.run('check'),
    await workspace.run('verify', String(output)),
    await workspace.run('run'),
  ]
  expect(checked.stdout).toContain(`\n  ${ESC}[32mok           ${ESC}[39m  platform `)
  expect(verified.stdout).toContain(`${ESC}[32mok${ESC}[39m     run `)
  expect(ran.stdout).toContain(`summit: ${ESC}[32mapplied, nothing to change${ESC}[39m\n`)
  for (const args of commands) expect((await workspace.run('--no-color', ...args)).stdout).not.toContain(ESC)
})
