import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const SYSTEM = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

/** Packages that only this proof needs, so they are not in the lock file of the product. */
const TOOLS: Readonly<Record<string, string>> = {
  node20: `npm:node-${SYSTEM}@20.20.2`,
  node22: `npm:node-${SYSTEM}@22.23.5`,
  pnpm: '12.21.0',
  yarn1: 'npm:yarn@1.22.22',
  yarn4: 'npm:@yarnpkg/cli-dist@4.18.1',
  '@cyclonedx/cyclonedx-library': '10.3.0',
  ajv: '8.20.0',
  'ajv-formats': '3.0.1',
  'ajv-formats-draft2019': '1.6.1',
}

/** Installs other versions of Node, other package managers, and a validator of SBOMs. */
export function installTools(folder: string): void {
  const manifest = { name: 'tools', version: '1.0.0', private: true, dependencies: TOOLS }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/** Checks the SBOM of the package against the schema of CycloneDX. @throws Error with what is wrong */
export function validateSbom(tools: string, file: string): void {
  const script = `
    import { readFileSync } from 'node:fs'
    import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
    const text = readFileSync(process.argv[1], 'utf8')
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot5)
    const faults = await validator.validate(text)
    if (faults !== null) throw new Error('the SBOM has faults: ' + JSON.stringify(faults))`
  execFileSync(process.execPath, ['--input-type=module', '-e', script, file], {
    cwd: tools,
    stdio: 'inherit',
  })
}
