import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** The folders of the product; each may import those after it. Source: design 5. */
const LAYERS = ['pipeline', 'loaders', 'transforms', 'sql'] as const

interface SourceFile {
  /** Path from the top, with `/`. */
  readonly path: string
  readonly layer: string
  /** The text without comments, and with the contents of strings left in. */
  readonly code: string
  /** Files that it imports, types and `import()` included; paths from the top. */
  readonly imports: readonly string[]
  /** Packages and Node's modules that it imports. */
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

/** `path: what`, for every place in the files where a pattern occurs. */
function places(among: readonly SourceFile[], pattern: RegExp): readonly string[] {
  return among.flatMap(({ path, code }) => [...code.matchAll(pattern)].map(([found]) => `${path}: ${found}`))
}

test('there are files in every folder, and their imports are found', () => {
  for (const layer of LAYERS) expect(files.filter((file) => file.layer === layer).length).toBeGreaterThan(2)
  const paths = new Set(files.map(({ path }) => path))
  const known = files.flatMap(({ path, imports }) =>
    imports.filter((target) => !paths.has(target)).map((target) => `${path} -> ${target}`),
  )
  // The launcher imports what the build makes.
  expect(known.filter((line) => !line.startsWith('pipeline/bin/'))).toEqual([])
  const run = files.find(({ path }) => path === 'pipeline/run-context.ts')
  expect(run?.imports).toContain('sql/database.ts')
})

test('imports go pipeline -> loaders -> transforms -> sql, never upward, types included', () => {
  const upward = files.flatMap(({ path, imports }) =>
    imports
      .filter((target) => layerOf(target) < layerOf(path) && layerOf(target) >= 0)
      .map((target) => `${path} -> ${target}`),
  )
  expect(upward).toEqual([])
  const outside = files.flatMap(({ path, imports }) =>
    imports.filter((target) => layerOf(target) < 0).map((target) => `${path} -> ${target}`),
  )
  expect(outside.filter((line) => !line.startsWith('pipeline/bin/'))).toEqual([])
})

test('no file imports itself by way of others, types included', () => {
  const importsOf = new Map(files.map(({ path, imports }) => [path, imports]))
  const done = new Set<string>()
  const circles: string[] = []
  function follow(path: string, way: readonly string[]): void {
    if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(' -> '))
    if (done.has(path)) return
    done.add(path)
    for (const target of importsOf.get(path) ?? []) follow(target, [...way, path])
  }
  for (const { path } of files) follow(path, [])
  expect(circles).toEqual([])
})

test('no source imports another source', () => {
  const sourceOf = (path: string) => /(?:^|\/)source-([a-z])\//.exec(path)?.[1]
  const across = files.flatMap(({ path, imports }) =>
    imports
      .filter((target) => {
        const [own, other] = [sourceOf(path), sourceOf(target)]
        return own !== undefined && other !== undefined && own !== other
      })
      .map((target) => `${path} -> ${target}`),
  )
  expect(across).toEqual([])
  expect(files.filter(({ path }) => sourceOf(path) === 'a').length).toBeGreaterThan(4)
})

test('no clock, randomness, environment, network, console or exit outside pipeline/', () => {
  const others = files.filter(({ layer }) => layer !== 'pipeline')
  expect(
    places(
      others,
      /\bprocess\.(?:env|argv|exit|stdout|stderr|hrtime)\b|\bDate\.now\b|\bnew Date\(\)|\bnew Date\b(?!\()|(?<!new )\bDate\(\)|\bprocess\.cwd\b|resolvedOptions\(\)|\bperformance\.now\b|\bMath\.random\b|\brandomBytes\b|\brandomUUID\b|\bgetRandomValues\b|\bconsole\.|\bfetch\(|\bsetTimeout\b|\bsetInterval\b/g,
    ),
  ).toEqual([])
  const doors = [
    'node:http',
    'node:https',
    'node:net',
    'node:tls',
    'node:dns',
    'node:child_process',
    'node:http2',
    'node:dgram',
    'node:os',
    'node:process',
    'node-fetch',
  ]
  expect(
    others.flatMap(({ path, packages }) =>
      packages
        .filter((name) => [...doors, 'pg', 'pino', 'commander'].includes(name))
        .map((name) => `${path}: ${name}`),
    ),
  ).toEqual([])
})

test('transforms are functions of their arguments: no file, no log, no database engine of their own', () => {
  const allowed = ['kysely', 'node:crypto', 'node:buffer']
  const others = files
    .filter(({ layer }) => layer === 'transforms')
    .flatMap(({ path, packages }) =>
      packages.filter((name) => !allowed.includes(name)).map((name) => `${path}: ${name}`),
    )
  expect(others).toEqual([])
})

test('the model of the rules shares no code with the product', () => {
  const own = globSync('test/model/{model-*,generate-*,*-traps*,serve*}.ts', { cwd: ROOT })
  expect(own.length).toBeGreaterThan(15)
  const shared = own.flatMap((path) =>
    [...readFileSync(join(ROOT, path), 'utf8').matchAll(/\bfrom '([^']+)'/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^(?:\.\/[\w-]+\.ts|node:\w+|vitest)$/.test(target))
      .map((target) => `${path}: ${target}`),
  )
  expect(shared).toEqual([])
})

test('no SQL strings outside sql/ and transforms/', () => {
  const others = files.filter(({ layer }) => layer === 'pipeline' || layer === 'loaders')
  // kysely's `sql` writes SQL as text; its builder does not.
  expect(places(others, /import \{[^}]*\bsql\b[^}]*\} from 'kysely'/g)).toEqual([])
  expect(places(others, STATEMENT)).toEqual([])
  expect(
    places(
      files.filter(({ layer }) => layer === 'sql'),
      STATEMENT,
    ).length,
  ).toBeGreaterThan(3)
})

/** A text that begins like a statement. */
const STATEMENT =
  /(['"`])\s*(?:(?:select|insert into|update|delete from|create|drop|alter|copy|truncate|analyze|declare|fetch|lock table|set local|set transaction|show \w+_\w+|grant|revoke|vacuum|merge into|savepoint|listen|explain|with)\s[^'"`]|(?:begin|commit|rollback)\b\s*[;'"`])/gi

/**
 * Words that stand elsewhere for one of the glossary, and the one that is used here. Source: design 3.
 *
 * Words that mean something else in one place stay out of this list: a batch of the platform is no run, a role
 * is no type.
 */
const SECOND_WORDS: Readonly<Record<string, string>> = {
  'tenants?|connections? of an event|connectors?|workspaces?': 'integration',
  'providers?|upstream|origin system': 'source',
  'datasets?|entit(?:y|ies)|data feeds?': 'resource',
  'content types?|kinds? of content': 'content',
  'participants?|delegates?|guests?': 'attendees',
  'presenters?|talks?|lectures?': 'speakers, sessions',
  'jobs?|pipeline runs?': 'run',
  'skipped records?|dropped records?|rejected records?': 'excluded, quarantined',
  'deltas?|diffs? of the plan': 'change',
  'blocked plans?|paused plans?|frozen plans?': 'hold',
  'downstream|destination systems?': 'platform',
  'ingest(?:s|ed|ion)?|synchroni[sz](?:e|es|ed|ation)': 'extract, sync',
}

test('there is one word for each thing: no second word of the glossary in code, SQL or documents', () => {
  const texts = globSync(['{pipeline,loaders,transforms,sql}/**/*.{ts,sql,md}', '*.md'], {
    cwd: ROOT,
    // What goes out in the words of others keeps these.
    exclude: ['pipeline/demo/sample-*.ts', 'pipeline/observe/open-lineage.ts'],
  })
  expect(texts.length).toBeGreaterThan(100)
  const found = texts.flatMap((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8')
    return Object.entries(SECOND_WORDS).flatMap(([words, word]) =>
      [...text.matchAll(new RegExp(`\\b(?:${words})\\b`, 'gi'))].map(
        ([second]) => `${path}: "${second}" where the glossary has "${word}"`,
      ),
    )
  })
  expect(found).toEqual([])
})
