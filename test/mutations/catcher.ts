import { join } from 'node:path'
import { createVitest, type TestModule, type TestSpecification } from 'vitest/node'
import configuration from '../../vitest.config.ts'

/**
 * Tests that check rules. Tests that do not check rules are not run: they may fail for another reason than
 * the mutant (a file with one inserted mistake).
 */
const OF_RULES = [
  'test/transforms/',
  'test/loaders/',
  'test/pipeline/extract/',
  'test/pipeline/config/',
  'test/pipeline/database/',
  'test/pipeline/inspect/',
  'test/pipeline/http/',
  'test/pipeline/run/',
  'test/pipeline/run/',
  'test/pipeline/settings/',
  'test/pipeline/sources/',
  'test/pipeline/guards.',
  'test/pipeline/passwords.',
  'test/pipeline/reading-changes.',
  'test/pipeline/second-look.',
  'test/pipeline/commands/own-fields.',
  'test/sql/',
  'test/traps/',
  'test/cases/',
]
/**
 * Matches error messages for unknown names and invalid SQL. A mutant with such an error fails every test, so
 * the failure does not prove that a test checks the rule.
 */
const NO_PROGRAM = /ReferenceError|SyntaxError|syntax error at|does not exist|cannot be matched|must be type/

export interface Judgement {
  readonly status: 'caught' | 'survived' | 'no program'
  /** Name of the first test that failed; null if all passed. */
  readonly by: string | null
}

/**
 * Starts one vitest process for all mutants, with one PostgreSQL server and its template databases. Vitest
 * loads the text of the mutant instead of the file; no file is changed.
 */
export async function startCatcher(root: string) {
  let mutant: { readonly path: string; readonly text: string } | null = null
  const plugin = {
    name: 'mutant',
    enforce: 'pre' as const,
    transform: (_: string, id: string) => (mutant !== null && id === mutant.path ? mutant.text : null),
  }
  // Vitest passes an option on to its projects only if the command line has that option. The command line has
  // no option for `hookTimeout`, so this code sets the timeout for each project.
  const { projects = [], hookTimeout = 120_000, ...shared } = configuration.test ?? {}
  const vitest = await createVitest(
    'test',
    {
      ...shared,
      root,
      config: false,
      watch: false,
      bail: 1,
      reporters: [],
      testTimeout: 30_000,
      projects: projects.flatMap((project) =>
        typeof project === 'object' && 'test' in project && project.test?.name !== 'long'
          ? [{ ...project, test: { hookTimeout, ...project.test, fsModuleCache: false }, plugins: [plugin] }]
          : [],
      ),
    },
    { root },
  )
  const all = await vitest.globTestSpecifications(OF_RULES)

  async function firstFailure(specifications: readonly TestSpecification[]): Promise<Judgement | null> {
    if (specifications.length === 0) return null
    // The list of files is cleared, because otherwise the option `bail` would also count failures of the run
    // before.
    vitest.state.filesMap.clear()
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications([...specifications])
    return testModules.map(failureOf).find((one) => one !== null) ?? unhandled(unhandledErrors)
  }

  return {
    /** Runs the tests of the mutated file, then of its folder, then of all rules, until a test fails. */
    async judge(file: string, text: string): Promise<Judgement> {
      const path = join(root, file)
      mutant = { path, text }
      vitest.invalidateFile(path)
      try {
        const mirror = join(root, 'test', file.replace(/\.ts$/, '.'))
        const folder = join(root, 'test', file.replace(/[^/]*$/, ''))
        const left = new Set(all)
        for (const near of [mirror, folder, root]) {
          const chosen = [...left].filter(({ moduleId }) => moduleId.startsWith(near))
          for (const one of chosen) left.delete(one)
          const failure = await firstFailure(chosen)
          if (failure !== null) return failure
        }
        return { status: 'survived', by: null }
      } finally {
        mutant = null
        vitest.invalidateFile(path)
      }
    },
    /**
     * Runs the tests without a mutant. If a test fails without a mutant, its later failures do not prove that
     * it catches mutants.
     */
    async failureWithoutMutant(): Promise<{ readonly by: string | null }> {
      return (await firstFailure(all)) ?? { by: null }
    },
    close: () => vitest.close(),
  }
}

function failureOf(module: TestModule): Judgement | null {
  const { value: failed } = module.children.allTests('failed').next()
  // If a hook such as `beforeAll` fails, all tests of its block are skipped, so no test is reported as
  // failed.
  const ofHooks = [...module.children.allSuites()].flatMap((suite) => suite.errors())
  const errors = failed?.result().errors ?? [...module.errors(), ...ofHooks]
  const [error] = errors
  if (error === undefined) return null
  const isProgram =
    module.errors().length === 0 && !NO_PROGRAM.test(errors.map(({ message }) => message).join('\n'))
  return {
    status: isProgram ? 'caught' : 'no program',
    by: `${module.relativeModuleId}: ${failed?.fullName ?? error.message}`,
  }
}

function unhandled(errors: readonly unknown[]): Judgement | null {
  return errors.length === 0 ? null : { status: 'no program', by: String(errors[0]) }
}
