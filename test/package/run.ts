import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contentsFaults, packInto } from './contents.ts'
import { runtimes } from './runtimes.ts'
import { useFrom } from './use.ts'

/**
 * Makes the npm package, checks its contents, installs it locally and globally in another folder, and uses it
 * like a user: `npm run package`. The script stops with exit code 1 at the first fault. The script needs the
 * dependencies in npm's cache or a connection to the registry.
 */
const folder = mkdtempSync(join(tmpdir(), 'event-sync-package-'))
try {
  const packed = packInto(folder)
  const faults = contentsFaults(packed)
  if (faults.length > 0) throw new Error(`the package is not what it should be:\n${faults.join('\n')}`)
  execFileSync('publint', ['run', packed.path, '--strict'], { stdio: 'inherit' })
  // The package contains only ES modules; Node 24 can load these by `require` too.
  execFileSync('attw', [packed.path, '--profile', 'esm-only'], { stdio: 'inherit' })
  console.log(`${packed.files.length} files in ${packed.name}: what it needs, and nothing else`)
  for (const runtime of runtimes()) {
    for (const way of ['locally', 'globally'] as const) {
      const seen = await useFrom(join(folder, `${runtime.version} ${way}`), packed.path, runtime, way)
      console.log(`installed ${way} under Node ${runtime.version}: ${seen.join(', ')}`)
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
