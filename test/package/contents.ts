import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, statSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, normalize } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { SCHEMAS } from '../../pipeline/commands/schema.ts'

const ROOT = join(import.meta.dirname, '../..')

export interface Packed {
  readonly name: string
  readonly path: string
  /** Paths within the package. */
  readonly files: readonly string[]
}

/**
 * Makes the npm package in the same way as `npm publish`, and builds the product before that.
 *
 * @param options options of `npm pack`, such as `--ignore-scripts` to use the last build
 */
export function packInto(folder: string, ...options: readonly string[]): Packed {
  const printed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder, ...options], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  // The output of `npm pack` begins with the output of the build, so the name is searched for.
  const [, filename = ''] = /"filename": "([^"]+)"/.exec(printed) ?? []
  const path = join(folder, filename)
  const files = execFileSync('tar', ['-tzf', path], { encoding: 'utf8' }).trim().split('\n')
  return { name: filename, path, files: files.map((file) => file.replace(/^package\//, '')).sort() }
}

/** Lists the faults of a package: missing files, unwanted files, and dead links in its documents. */
export function contentsFaults({ files }: Packed): readonly string[] {
  const sources = globSync('{pipeline,loaders,transforms,sql}/**/*.ts', { cwd: ROOT })
  const wanted = new Set([
    'package.json',
    'pipeline/bin/event-sync.js',
    ...['CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'SECURITY.md'],
    ...globSync('{loaders,pipeline,sql,transforms}/**/*.md', { cwd: ROOT }),
    ...globSync('pipeline/docs/*.png', { cwd: ROOT }),
    ...globSync(['pipeline/observe/monitoring/*', 'pipeline/deploy/**/*'], { cwd: ROOT }).filter((path) =>
      statSync(join(ROOT, path)).isFile(),
    ),
    'loaders/platform/contract/openapi.json',
    'loaders/platform/contract/platform.schema.json',
    'loaders/verify/verify.py',
    ...globSync(['sql/**/*.sql', 'pipeline/{sources,targets}/examples/*.ts'], { cwd: ROOT }),
    ...sources.map((source) => `dist/${source.replace(/\.ts$/, '.d.ts')}`),
    'dist/LICENCES.txt',
    'dist/sbom.cdx.json',
    'dist/event-sync.1',
    ...Object.keys(SCHEMAS).map((name) => `dist/schemas/${name}.json`),
    ...['cli', 'library/index', 'library/source', 'library/target', 'library/testing'].map(
      (entry) => `dist/pipeline/${entry}.js`,
    ),
  ])
  const there = new Set(files)
  const templates = files.filter((file) => /^dist\/database\/[0-9a-f]{16}\.zst$/.test(file))
  return [
    ...(templates.length === 1 ? [] : [`${templates.length} templates of a database`]),
    ...templates.flatMap(machineIn),
    ...sbomFaults(),
    ...[...wanted].filter((file) => !there.has(file)).map((file) => `missing: ${file}`),
    ...files
      .filter(
        (file) => !wanted.has(file) && !templates.includes(file) && !/^dist\/chunks\/[\w.-]+\.js$/.test(file),
      )
      .map((file) => `not wanted: ${file}`),
    ...files.filter((file) => file.endsWith('.md')).flatMap((file) => deadLinks(file, there)),
  ]
}

/** Lists packages that are part of the code or are installed with it, and that the SBOM does not name. */
function sbomFaults(): readonly string[] {
  const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
  const bom = JSON.parse(read('dist/sbom.cdx.json'))
  const { name, version, dependencies, optionalDependencies } = JSON.parse(read('package.json'))
  const bundled = [...read('dist/LICENCES.txt').matchAll(/^# (\S+) (\d\S*) \(/gm)]
  const named = new Set(
    [bom.metadata.component, ...bom.components].map((one) => `${one.name}@${one.version}`),
  )
  return [
    `${name}@${version}`,
    ...Object.entries({ ...dependencies, ...optionalDependencies }).map((one) => one.join('@')),
    ...bundled.map(([, bundledName, bundledVersion]) => `${bundledName}@${bundledVersion}`),
  ]
    .filter((one) => !named.has(one))
    .map((one) => `the SBOM does not name ${one}`)
}

/**
 * Returns the paths of this machine that occur in a packaged database template; the package must contain
 * none.
 */
function machineIn(template: string): readonly string[] {
  const bytes = zstdDecompressSync(readFileSync(join(ROOT, template)))
  // The path /tmp alone is allowed, because the settings of the engine itself name /tmp as the folder for
  // sockets.
  return [homedir(), join(tmpdir(), 'event-sync'), ROOT]
    .filter((text) => bytes.includes(text))
    .map((text) => `${template} contains ${text}`)
}

function deadLinks(document: string, files: ReadonlySet<string>): readonly string[] {
  const text = readFileSync(join(ROOT, document), 'utf8')
  return [...text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const path = normalize(join(dirname(document), target)).replace(/\/$/, '')
      return !files.has(path) && !files.has(`${path}/README.md`)
    })
    .map((target) => `${document} leads to ${target}, which is not in the package`)
}
