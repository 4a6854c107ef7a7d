import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mutation } from './mutation.ts'

/** Tests that look at rules; others could fail for reasons of their own, and prove nothing. */
const OF_RULES = [
  'test/transforms',
  'test/loaders',
  'test/sql',
  'test/pipeline/extract',
  'test/pipeline/stage.test.ts',
  'test/pipeline/guards.test.ts',
  'test/pipeline/config',
  'test/traps',
  'test/cases',
  'test/model',
]

/**
 * Runs the tests of the rules with nothing broken, so that it is the mutation that a test notices later.
 *
 * @returns file and name of a test that fails all the same, or null
 */
export function failureWithoutMutation(copy: string): Promise<string | null> {
  return firstFailure(copy, OF_RULES)
}

/**
 * Breaks a rule in a copy of the project and looks for a test that notices: first among those of the file itself,
 * then among those that cover whole runs, then among all that look at rules. The copy is as before afterwards.
 *
 * @returns file and name of the first test that fails, or null
 */
export async function catcherOf(copy: string, { file, from, to }: Mutation): Promise<string | null> {
  const path = join(copy, file)
  const whole = readFileSync(path, 'utf8')
  writeFileSync(
    path,
    whole.replace(from, () => to),
  )
  try {
    for (const tests of nearestFirst(copy, file)) {
      const failed = await firstFailure(copy, tests)
      if (failed !== null) return failed
    }
    return null
  } finally {
    writeFileSync(path, whole)
  }
}

function nearestFirst(copy: string, file: string): readonly (readonly string[])[] {
  const mirror = `test/${file.replace(/\.ts$/, '.test.ts')}`
  const folder = `test/${file.replace(/\/[^/]*$/, '/')}`
  const near = existsSync(join(copy, mirror)) ? [[mirror]] : []
  return [...near, [folder], ['test/traps', 'test/cases'], OF_RULES]
}

/** Runs tests until one fails. */
async function firstFailure(copy: string, tests: readonly string[]): Promise<string | null> {
  const report = join(copy, 'mutation.json')
  rmSync(report, { force: true })
  const code = await run(copy, [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--bail=1',
    '--passWithNoTests',
    '--exclude=test/mutations/**',
    '--reporter=json',
    `--outputFile=${report}`,
    ...tests,
  ])
  if (code === 0) return null
  const { testResults }: VitestReport = JSON.parse(readFileSync(report, 'utf8'))
  for (const { name, message, assertionResults } of testResults) {
    const failed = assertionResults.find(({ status }) => status === 'failed')
    const why = failed === undefined ? message : failed.failureMessages.join('\n')
    if (why === '') continue
    const at = `${name.slice(copy.length + 1)}: ${failed?.fullName ?? 'does not load'}`
    // A program that is broken as such fails any test, and proves of none that it looks at the rule.
    if (failed === undefined || NO_PROGRAM.test(why))
      throw new Error(`no program any more: ${at}: ${why.slice(0, 300)}`)
    return at
  }
  throw new Error(`the tests ended with ${code} and say of no test that it failed`)
}

/** Names that are not there, and SQL that no engine runs. */
const NO_PROGRAM = /ReferenceError|SyntaxError|syntax error at|does not exist|cannot be matched|must be type/

interface VitestReport {
  readonly testResults: readonly {
    readonly name: string
    readonly message: string
    readonly assertionResults: readonly {
      readonly status: string
      readonly fullName: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}

async function run(folder: string, args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [...args], { cwd: folder, stdio: 'ignore' })
  const [code] = await once(child, 'close')
  return code ?? 1
}
