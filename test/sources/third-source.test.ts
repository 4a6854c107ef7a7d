import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../pipeline/package-root.ts'
import { type Block, blocksOf } from '../pipeline/snippets/blocks.ts'
import { useFolder } from '../support/folder.ts'

const GUIDE = 'pipeline/extract/README.md'
const NOT_COPIED = new Set(['node_modules', 'dist', '.git', 'out', '.event-sync', 'event-sync-demo'])

/** A step of the guide: a new file, or lines for one that is there, at the one place that it names. */
const STEP = /^\w+ in ([^,\s]+)(?:, (after|before): (.+))?$/

const steps = blocksOf(GUIDE, readFileSync(join(packageRoot, GUIDE), 'utf8')).filter(({ language }) =>
  STEP.test(language),
)
const folder = useFolder()

function take(root: string, { line, language, text }: Block): void {
  const [, file = '', side, place = ''] = STEP.exec(language) ?? []
  const path = join(root, file)
  if (side === undefined) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${text}\n`, { flag: 'wx' })
    return
  }
  const lines = readFileSync(path, 'utf8').split('\n')
  const found = lines.flatMap((one, index) => (one.trim() === place ? [index] : []))
  if (found.length !== 1) throw new Error(`line ${line} of the guide: ${found.length} places in ${file}`)
  lines.splice((found[0] ?? 0) + (side === 'after' ? 1 : 0), 0, ...text.split('\n'))
  writeFileSync(path, lines.join('\n'))
}

function runIn(root: string, ...args: readonly string[]): string {
  const bin = join(packageRoot, 'node_modules', '.bin')
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, VITEST: undefined }
  const { status, stdout, stderr } = spawnSync('npx', args, { cwd: root, env, encoding: 'utf8' })
  return status === 0 ? '' : `${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`
}

test('whoever follows the guide has a source that keeps the contract of all sources', () => {
  expect(steps.length).toBeGreaterThan(15)
  const root = join(folder(), 'product')
  mkdirSync(root)
  for (const name of readdirSync(packageRoot)) {
    if (!NOT_COPIED.has(name)) cpSync(join(packageRoot, name), join(root, name), { recursive: true })
  }
  symlinkSync(join(packageRoot, 'node_modules'), join(root, 'node_modules'))
  for (const step of steps) take(root, step)

  expect(runIn(root, 'tsc', '--noEmit')).toBe('')
  expect(runIn(root, 'biome', 'check', 'pipeline/extract/source-c', 'transforms/source-c')).toBe('')
  expect(
    runIn(root, 'vitest', 'run', 'test/sources/contract.test.ts', 'test/transforms/lineage.test.ts'),
  ).toBe('')
})
