import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, sep } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')

/** The folders of the product. Code in a folder may import code from the folders that are listed after it. */
const LAYERS = ['pipeline', 'loaders', 'transforms', 'sql'] as const

interface SourceFile {
  /** Path from the root of the repository, with `/` as separator. */
  readonly path: string
  readonly layer: string
  /** The text of the file without its comments, but with the contents of its strings. */
  readonly code: string
  /** Paths of the files that this file imports, including imports of types and calls of `import()`. */
  readonly imports: readonly string[]
  /** Packages and modules of Node that this file imports. */
  readonly packages: readonly string[]
}

const files = globSync(
  LAYERS.map((layer) => `${layer}/**/*.{ts,js}`),
  { cwd: ROOT },
).map((name): SourceFile => {
  const path = name.split(sep).join('/')
  const code = withoutComments(readFileSync(join(ROOT, name), 'utf8'))
  const named = [...code.matchAll(/\b(?:from|import)\s*\(?\s*(['"])([^'"]+)\1/g)].map(
    ([, , target]) => target ?? '',
  )
  return {
    path,
    layer: path.split('/')[0] ?? '',
    code,
    imports: named
      .filter((target) => target.startsWith('.'))
      .map((target) =>
        normalize(join(dirname(path), target))
          .split(sep)
          .join('/'),
      ),
    packages: named.filter((target) => !target.startsWith('.')),
  }
})

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
}

const layerOf = (path: string) => LAYERS.indexOf(path.split('/')[0] as (typeof LAYERS)[number])

/** Returns `path: match` for every match of a pattern in the files. */
function places(among: readonly SourceFile[], pattern: RegExp): readonly string[] {
  return among.flatMap(({ path, code }) => [...code.matchAll(pattern)].map(([found]) => `${path}: ${found}`))
}

/** Returns `path -> target` for every import that `isOdd` reports. */
function importsWhere(isOdd: (path: string, target: string) => boolean): readonly string[] {
  return files.flatMap(({ path, imports }) =>
    imports.filter((target) => isOdd(path, target)).map((target) => `${path} -> ${target}`),
  )
}

/** Returns `path: package` for every package that a file of a layer should not import. */
function packagesWhere(
  layer: (name: string) => boolean,
  isOdd: (name: string) => boolean,
): readonly string[] {
  return files
    .filter((file) => layer(file.layer))
    .flatMap(({ path, packages }) => packages.filter(isOdd).map((name) => `${path}: ${name}`))
}

test('files are found in every folder, and imports are found in these files', () => {
  for (const layer of LAYERS) expect(files.filter((file) => file.layer === layer).length).toBeGreaterThan(2)
  const paths = new Set(files.map(({ path }) => path))
  // The launcher in pipeline/bin imports files that exist only after the build.
  expect(importsWhere((path, target) => !paths.has(target) && !path.startsWith('pipeline/bin/'))).toEqual([])
  const run = files.find(({ path }) => path === 'pipeline/context/run-context.ts')
  expect(run?.imports).toContain('sql/database.ts')
})

test('imports, also of types, go only in the direction pipeline -> loaders -> transforms -> sql', () => {
  expect(importsWhere((path, target) => layerOf(target) < layerOf(path) && layerOf(target) >= 0)).toEqual([])
  expect(importsWhere((path, target) => layerOf(target) < 0 && !path.startsWith('pipeline/bin/'))).toEqual([])
})

/** Returns the import cycles, each as `a -> b -> a`. */
function circlesOf(importsOf: ReadonlyMap<string, Iterable<string>>): readonly string[] {
  const done = new Set<string>()
  const circles: string[] = []
  function follow(name: string, way: readonly string[]): void {
    if (way.includes(name)) circles.push([...way.slice(way.indexOf(name)), name].join(' -> '))
    if (done.has(name)) return
    done.add(name)
    for (const target of importsOf.get(name) ?? []) follow(target, [...way, name])
  }
  for (const name of importsOf.keys()) follow(name, [])
  return circles
}

test('files do not import each other in cycles, not even for types', () => {
  expect(circlesOf(new Map(files.map(({ path, imports }) => [path, imports])))).toEqual([])
})

test('folders do not import each other in cycles, at any depth of folders', () => {
  const folders = new Set(files.flatMap(({ path }) => parentsOf(path)))
  const circles = [...folders].flatMap((folder) => {
    const importsOf = new Map<string, Set<string>>()
    for (const { path, imports } of files) {
      const from = childOf(folder, path)
      for (const target of imports) {
        const to = childOf(folder, target)
        if (from === null || to === null || from === to) continue
        importsOf.set(from, (importsOf.get(from) ?? new Set()).add(to))
      }
    }
    return circlesOf(importsOf).map((circle) => `${folder}: ${circle}`)
  })
  expect(circles).toEqual([])
  expect(folders.size).toBeGreaterThan(20)
})

/** Returns the parent folders of a file: `a` and `a/b` for `a/b/c.ts`. */
function parentsOf(path: string): readonly string[] {
  return path.split('/').flatMap((_, index, parts) => (index === 0 ? [] : parts.slice(0, index).join('/')))
}

/**
 * Returns the direct subfolder of `folder` that contains a file. Returns `.` for a file in the folder itself,
 * and null for a file outside.
 */
function childOf(folder: string, path: string): string | null {
  if (!path.startsWith(`${folder}/`)) return null
  const [child = '', ...rest] = path.slice(folder.length + 1).split('/')
  return rest.length === 0 ? '.' : child
}

test('the code of a source imports no code of another source [spec 1.3]', () => {
  const sourceOf = (path: string) => /\b(?:source-|sources\/)([a-z])[/.]/.exec(path)?.[1]
  const isAcross = (own: string | undefined, other: string | undefined) =>
    own !== undefined && other !== undefined && own !== other
  expect(importsWhere((path, target) => isAcross(sourceOf(path), sourceOf(target)))).toEqual([])
  expect(files.filter(({ path }) => sourceOf(path) === 'a').length).toBeGreaterThan(4)
})

test('only code in pipeline/ uses the clock, randomness, environment, network, console or exit of the process', () => {
  const others = files.filter(({ layer }) => layer !== 'pipeline')
  expect(
    places(
      others,
      /\bprocess\.(?:env|argv|exit|stdout|stderr|hrtime)\b|\bDate\.now\b|\bnew Date\(\)|\bnew Date\b(?!\()|(?<!new )\bDate\(\)|\bprocess\.cwd\b|resolvedOptions\(\)|\bperformance\.now\b|\bMath\.random\b|\brandomBytes\b|\brandomUUID\b|\bgetRandomValues\b|\bconsole\.|\bfetch\(|\bsetTimeout\b|\bsetInterval\b/g,
    ),
  ).toEqual([])
  const ofTheMachine =
    /^(?:node:(?:https?|http2|net|tls|dns|dgram|child_process|os|process)|node-fetch|pg|pino|commander)$/
  expect(
    packagesWhere(
      (layer) => layer !== 'pipeline',
      (name) => ofTheMachine.test(name),
    ),
  ).toEqual([])
})

test('transforms depend only on their arguments: they use no file, no log and no database engine', () => {
  // The package windows-iana is allowed because it contains only a table.
  const allowed = ['kysely', 'node:crypto', 'node:buffer', 'node:url', 'windows-iana']
  expect(
    packagesWhere(
      (layer) => layer === 'transforms',
      (name) => !allowed.includes(name),
    ),
  ).toEqual([])
})

test('the model of the rules in test/proofs/model imports no code of the product', () => {
  const own = globSync(
    [
      'proofs/model/{model-*,generate-*,*-traps*,versions}.ts',
      'harness/{json,random,draw,tally,reply,source-*}.ts',
    ].map((pattern) => `test/${pattern}`),
    { cwd: ROOT },
  ).filter((path) => !path.endsWith('.test.ts'))
  expect(own.length).toBeGreaterThan(30)
  // Files that are imported indirectly are checked too.
  const reached = new Set(own)
  const shared: string[] = []
  for (const path of reached) {
    const named = readFileSync(join(ROOT, path), 'utf8').matchAll(/\b(?:from |import[ (])'([^'\n]+)'/g)
    for (const [, target = ''] of named) {
      if (target.startsWith('node:')) continue
      const file = join(dirname(path), target)
      if (/^test\/(?:proofs\/model|harness)\//.test(file)) reached.add(file)
      else shared.push(`${path}: ${target}`)
    }
  }
  expect(shared).toEqual([])
})

test('code prints only through the output functions of commands, so that text of a source cannot control the terminal', () => {
  const own = /^pipeline\/(cli|commands\/io|bin\/event-sync)\.[jt]s: /
  const found = places(files, /\bconsole\.\w+|process\.std(?:out|err)\b/g)
  expect(found.length).toBeGreaterThan(0)
  expect(found.filter((place) => !own.test(place))).toEqual([])
})
