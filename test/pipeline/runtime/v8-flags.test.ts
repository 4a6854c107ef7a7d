import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'

test('this Node knows every V8 flag that the product sets, because V8 ignores unknown flags silently', () => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })
  const sources = globSync('pipeline/**/*.ts', { cwd: packageRoot })
  const flags = sources.flatMap((file) => [
    ...readFileSync(join(packageRoot, file), 'utf8').matchAll(/setFlagsFromString\('--(?:no-)?([\w-]+)/g),
  ])
  expect(flags.length).toBeGreaterThan(0)
  for (const [, flag] of flags) expect(known).toContain(` --${flag} (`)
})
