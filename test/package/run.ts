import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contentsFaults, packInto } from './contents.ts'
import { managers, plugAndPlay } from './managers.ts'
import { runtimes } from './runtimes.ts'
import { installTools, validateSbom } from './tools.ts'
import { refuseFrom, useFrom } from './use.ts'

/**
 * Makes the npm package and checks its contents, its types and its SBOM. Installs it by npm, pnpm and Yarn in
 * other folders under three versions of Node, and uses it like a user: `npm run package`. The script stops
 * with exit code 1 at the first fault. The script needs its packages in the caches of the managers, or a
 * connection to the registry.
 */
const folder = mkdtempSync(join(tmpdir(), 'event-sync-package-'))
const tools = join(folder, 'tools')
try {
  mkdirSync(tools)
  installTools(tools)
  const packed = packInto(folder)
  const faults = contentsFaults(packed)
  if (faults.length > 0) throw new Error(`the package is not what it should be:\n${faults.join('\n')}`)
  execFileSync('publint', ['run', packed.path, '--strict'], { stdio: 'inherit' })
  // The package contains only ES modules; Node 24 can load these by `require` too.
  execFileSync('attw', [packed.path, '--profile', 'esm-only'], { stdio: 'inherit' })
  validateSbom(tools, join(import.meta.dirname, '../../dist/sbom.cdx.json'))
  const sizeKb = Math.round(statSync(packed.path).size / 1000)
  console.log(
    `${packed.files.length} files in ${packed.name} (${sizeKb} kB): what it needs, and nothing else`,
  )
  for (const runtime of runtimes(tools)) {
    for (const manager of managers(tools)) {
      const used = join(folder, `${runtime.version} ${manager.name}`)
      const seen = await useFrom(used, packed.path, runtime, manager)
      console.log(`${manager.name} under Node ${runtime.version}: ${seen.join(', ')}`)
      rmSync(used, { recursive: true })
    }
    const manager = plugAndPlay(tools)
    const said = await refuseFrom(join(folder, `${runtime.version} pnp`), packed.path, runtime, manager)
    console.log(`${manager.name} under Node ${runtime.version}: ${said}`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
