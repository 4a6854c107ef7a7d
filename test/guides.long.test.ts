import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../pipeline/runtime/package-root.ts'
import { type Block, blocksOf } from './pipeline/snippets/blocks.ts'
import { useFolder } from './support/folder.ts'

const NOT_COPIED = new Set(['node_modules', 'dist', '.git', 'out', '.event-sync', 'event-sync-demo'])

/** A step of a guide: a new file, or lines for one that is there, at the one line (or at each line) that it names. */
const STEP = /^\w+ in ([^,\s]+)(?:, (after|before|in place of)( each)?: (.+))?$/

const folder = useFolder()

function take(root: string, { file: guide, line, language, text }: Block): void {
  const [, file = '', side, each, place = ''] = STEP.exec(language) ?? []
  const path = join(root, file)
  if (side === undefined) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${text}\n`, { flag: 'wx' })
    return
  }
  const lines = readFileSync(path, 'utf8').split('\n')
  const found = lines.filter((one) => one.trim() === place).length
  if (each === undefined ? found !== 1 : found < 2)
    throw new Error(`${guide}, line ${line}: ${found} places in ${file}`)
  const changed = lines.flatMap((one) => {
    if (one.trim() !== place) return [one]
    return side === 'after' ? [one, text] : side === 'before' ? [text, one] : [text]
  })
  writeFileSync(path, changed.join('\n'))
}

function runIn(root: string, command: string, ...args: readonly string[]): string {
  const bin = join(packageRoot, 'node_modules', '.bin')
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, VITEST: undefined }
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, env, encoding: 'utf8' })
  return status === 0 ? '' : `${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`
}

test.each([
  {
    guide: 'pipeline/targets/README.md',
    makes: 'a target that keeps the contract of all targets',
    tests: ['test/targets', 'test/pipeline/config', 'test/pipeline/commands/init.database.test.ts'],
  },
  {
    guide: 'transforms/README.md',
    makes: 'a field that is read, staged, synced, explained and shown',
    tests: [
      'test/sources',
      'test/targets',
      'test/transforms',
      'test/traps/fields.database.test.ts',
      'test/sql',
    ],
  },
])('anyone who follows $guide has $makes', { timeout: 900_000 }, ({ guide, tests }) => {
  const blocks = blocksOf(guide, readFileSync(join(packageRoot, guide), 'utf8'))
  const steps = blocks.filter(({ language }) => STEP.test(language))
  expect(steps.length).toBeGreaterThan(5)
  const root = join(folder(), 'product')
  mkdirSync(root)
  for (const name of readdirSync(packageRoot)) {
    if (!NOT_COPIED.has(name)) cpSync(join(packageRoot, name), join(root, name), { recursive: true })
  }
  symlinkSync(join(packageRoot, 'node_modules'), join(root, 'node_modules'))
  for (const step of steps) take(root, step)

  expect(runIn(root, 'node', 'test/sql/write-documents.ts')).toBe('')
  expect(runIn(root, 'tsc', '--noEmit')).toBe('')
  expect(runIn(root, 'biome', 'check', '.')).toBe('')
  expect(runIn(root, 'node', 'pipeline/cli.ts', '-c', 'sample.yaml', 'init', '--no-input')).toBe('')
  expect(runIn(root, 'vitest', 'run', '--project=pure', '--project=database', ...tests)).toBe('')
})
