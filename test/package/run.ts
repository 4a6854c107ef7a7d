import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contentsFaults, type Packed, packInto } from './contents.ts'
import { type Manager, managers, npm, plugAndPlay } from './managers.ts'
import { type Runtime, runtimes, thisRuntime } from './runtimes.ts'
import { installTools, validateSbom } from './tools.ts'
import { refuseFrom, useFrom, useTelemetry } from './use.ts'

/**
 * Makes the npm package and checks its contents, its types and its SBOM. Installs it by npm, pnpm and Yarn in
 * other folders under three versions of Node, and uses it like a user: `npm run package`. With `--quick`,
 * packs the last build, checks only the contents, and installs the package only by npm under the Node that
 * runs this script. The script stops with exit code 1 at the first fault. The script needs its packages in
 * the caches of the managers, or a connection to the registry.
 */
const isQuick = process.argv.includes('--quick')
const folder = mkdtempSync(join(tmpdir(), 'event-sync-package-'))
try {
  const packed = packInto(folder, ...(isQuick ? ['--ignore-scripts'] : []))
  const faults = contentsFaults(packed)
  if (faults.length > 0) throw new Error(`the package is not what it should be:\n${faults.join('\n')}`)
  const sizeKb = Math.round(statSync(packed.path).size / 1000)
  console.log(
    `${packed.files.length} files in ${packed.name} (${sizeKb} kB): what it needs, and nothing else`,
  )
  if (isQuick) await use(packed, thisRuntime(), npm)
  else await useEverywhere(packed)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function use(packed: Packed, runtime: Runtime, manager: Manager): Promise<void> {
  const used = join(folder, `${runtime.version} ${manager.name}`)
  const seen = await useFrom(used, packed.path, runtime, manager, isQuick)
  console.log(`${manager.name} under Node ${runtime.version}: ${seen.join(', ')}`)
  rmSync(used, { recursive: true })
}

async function useEverywhere(packed: Packed): Promise<void> {
  const tools = join(folder, 'tools')
  mkdirSync(tools)
  installTools(tools)
  execFileSync('publint', ['run', packed.path, '--strict'], { stdio: 'inherit' })
  // The package contains only ES modules; Node 24 can load these by `require` too.
  execFileSync('attw', [packed.path, '--profile', 'esm-only'], { stdio: 'inherit' })
  validateSbom(tools, join(import.meta.dirname, '../../dist/sbom.cdx.json'))
  for (const runtime of runtimes(tools)) {
    for (const manager of managers(tools)) await use(packed, runtime, manager)
    const manager = plugAndPlay(tools)
    const said = await refuseFrom(join(folder, `${runtime.version} pnp`), packed.path, runtime, manager)
    console.log(`${manager.name} under Node ${runtime.version}: ${said}`)
    const watched = join(folder, `${runtime.version} telemetry`)
    console.log(`${npm.name}: ${await useTelemetry(watched, packed.path, runtime)}`)
  }
}
