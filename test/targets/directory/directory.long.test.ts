import { describe, vi } from 'vitest'
import type { TARGETS } from '../../../pipeline/targets/registry.ts'
import { contractTests } from '../contract.ts'
import { exampleDirectory } from './example.ts'

// The test belongs to the long tests, because it replaces a module: only in their vitest project does each
// file have modules of its own.
vi.mock(import('../../../pipeline/targets/registry.ts'), async (importOriginal) => {
  const original = await importOriginal()
  const { directoryType } = await import('./directory.ts')
  return { ...original, TARGETS: { ...original.TARGETS, directory: directoryType } }
})

describe('a target with a file and a line in the registry', () =>
  contractTests('directory' as keyof typeof TARGETS, exampleDirectory))
