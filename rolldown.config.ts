import { execSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { defineConfig, type OutputBundle, type Plugin } from 'rolldown'

/**
 * The command and the entries of the library, each in few files with what it needs: to load some 800 modules one by one
 * would be most of what a command takes. They share chunks, so that a source from outside is declared with what the command
 * that runs it knows.
 */
export default defineConfig({
  input: {
    'pipeline/cli': 'pipeline/cli.ts',
    'pipeline/library/index': 'pipeline/library/index.ts',
    'pipeline/library/source': 'pipeline/library/source.ts',
    'pipeline/library/target': 'pipeline/library/target.ts',
    'pipeline/library/testing': 'pipeline/library/testing.ts',
  },
  platform: 'node',
  // With files, threads or native parts of their own, optional, or loaded by `createRequire`; the others are only code.
  external: [
    /^@electric-sql\//,
    /^@modelcontextprotocol\//,
    'cron-parser',
    'pg',
    'pino',
    'htmlparser2',
    'hyparquet-writer',
    'ical.js',
    'yazl',
  ],
  output: { dir: 'dist', format: 'esm', chunkFileNames: 'chunks/[name]-[hash].js' },
  plugins: [httpWithoutFetch(), licences(), sbom()],
})

/** `import 'node:http'` reads all that it exports, and one of these makes Node load its `fetch`: 40 ms that no command needs. */
function httpWithoutFetch(): Plugin {
  const id = '\0http.cjs'
  return {
    name: 'http-without-fetch',
    resolveId: { order: 'pre', handler: (name) => (/^(?:node:)?http$/.test(name) ? id : null) },
    load: (name) => (name === id ? "module.exports = process.getBuiltinModule('node:http')" : null),
  }
}

/** Writes the licences of the packages that are part of the chunks. */
function licences(): Plugin {
  return {
    name: 'licences',
    generateBundle(_, bundle) {
      const source = bundledFolders(bundle).map(licenceOf).join('\n\n')
      this.emitFile({ type: 'asset', fileName: 'LICENCES.txt', source: `${source}\n` })
    },
  }
}

function bundledFolders(bundle: OutputBundle): readonly string[] {
  const modules = Object.values(bundle).flatMap((output) => (output.type === 'chunk' ? output.moduleIds : []))
  const folders = modules.flatMap((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? [])
  return [...new Set(folders)].sort()
}

function manifestOf(folder: string) {
  return JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
}

function licenceOf(folder: string): string {
  const { name, version, license } = manifestOf(folder)
  const files = globSync(['LICEN[CS]E*', 'licen[cs]e*'], { cwd: folder }).sort()
  const texts = files.map((file) => readFileSync(`${folder}/${file}`, 'utf8').trim())
  return [`# ${name} ${version} (${license})`, ...new Set(texts)].join('\n\n')
}

/** Writes the SBOM (CycloneDX): the packages that are part of the chunks, and those that are installed with the package. */
function sbom(): Plugin {
  return {
    name: 'sbom',
    generateBundle(_, bundle) {
      const bundled = bundledFolders(bundle).map((folder) => {
        const { name, version } = manifestOf(folder)
        return `${name}@${version}`
      })
      const source = JSON.stringify(sbomWith(new Set(bundled)), null, 1)
      this.emitFile({ type: 'asset', fileName: 'sbom.cdx.json', source: `${source}\n` })
    },
  }
}

interface Component {
  readonly 'bom-ref': string
  readonly properties: readonly { readonly name: string }[]
}

interface Dependency {
  readonly ref: string
  readonly dependsOn: readonly string[]
}

/**
 * Returns npm's SBOM of the lock file, without packages that are used only for development. The SBOM has no date and no
 * random number, so every build of a version produces the same bytes.
 *
 * @param bundled packages in the chunks, as name@version; npm lists these packages as used for development
 */
function sbomWith(bundled: ReadonlySet<string>) {
  const { serialNumber, metadata, components, dependencies, ...bom } = JSON.parse(
    execSync('npm sbom --sbom-format cyclonedx --package-lock-only', {
      encoding: 'utf8',
      maxBuffer: 64 << 20,
    }),
  )
  const { timestamp, component, ...made } = metadata
  const isDevelopment = ({ name }: { readonly name: string }) => name === 'cdx:npm:package:development'
  const kept = (components as readonly Component[])
    .filter((one) => bundled.has(one['bom-ref']) || !one.properties.some(isDevelopment))
    .map((one) => ({ ...one, properties: one.properties.filter((property) => !isDevelopment(property)) }))
  const refs = new Set([component['bom-ref'], ...kept.map((one) => one['bom-ref'])])
  return {
    ...bom,
    // npm names the component after the folder of the clone.
    metadata: { ...made, component: { ...component, name: manifestOf('.').name } },
    components: kept,
    dependencies: (dependencies as readonly Dependency[])
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) })),
  }
}
