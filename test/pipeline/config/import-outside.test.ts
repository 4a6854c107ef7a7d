import { writeFileSync } from 'node:fs'
import module, { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { readConfig } from '../../../pipeline/config/config.ts'
import { importOutside } from '../../../pipeline/config/import-outside.ts'
import { useFolder } from '../../support/folder.ts'

const folder = useFolder()

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

/** Imports the types of a configuration, and returns how often hooks for imports were registered. */
async function hooksFor(...types: readonly string[]): Promise<number> {
  const registered = vi.spyOn(module, 'registerHooks')
  syncBuiltinESMExports()
  const integrations = types.map((type) => ({ source: { type }, platform: { type: 'jsonl' } }))
  const text = JSON.stringify({ integrations })
  await importOutside(readConfig('event-sync.yaml', { env: {}, readFile: () => text }), folder())
  return registered.mock.calls.length
}

test('hooks for imports are registered only if a type is not part of this package', async () => {
  const source = `import { defineSource } from 'event-content-sync/source'\nexport default defineSource`
  writeFileSync(join(folder(), 'one.ts'), source)
  expect(await hooksFor('a', 'b')).toBe(0)
  await expect(hooksFor('a', './one.ts')).rejects.toThrow('one.ts exports no source')
  expect(module.registerHooks).toHaveBeenCalledTimes(1)
})

test('a type that cannot be imported is reported at each integration that names it', async () => {
  const error = hooksFor('./none.ts', 'a', './none.ts')
  await expect(error).rejects.toThrow(
    /integrations\[0\]\.source\.type: .*\n.*integrations\[2\]\.source\.type: /,
  )
})
