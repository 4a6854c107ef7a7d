import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const MODULE = fileURLToPath(new URL('./postgres.ts', import.meta.url))

test('the test server leaves the exit code alone: a failed test is a failed command', () => {
  const script = `
    const { startPostgres } = await import(${JSON.stringify(MODULE)})
    const server = await startPostgres()
    await server.stop()
    process.exitCode = 7`
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  })
  expect(stderr).not.toContain('Error')
  expect(status).toBe(7)
})
