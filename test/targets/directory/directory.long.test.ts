import { describe } from 'vitest'
import { TARGETS } from '../../../pipeline/targets/registry.ts'
import { directoryType } from './directory.ts'
import { exampleDirectory } from './example.ts'

// The test belongs to the long tests, because it changes a module: only in their vitest project does each
// file have modules of its own. Modules that read the registry when they are loaded are loaded after it.
Object.assign(TARGETS, { directory: directoryType })
const { contractTests } = await import('../contract.ts')

describe('a target with a file and a line in the registry', () =>
  contractTests('directory' as keyof typeof TARGETS, exampleDirectory))
