import { relative } from 'node:path'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

/** Prints at the end which tests were skipped, and why. The reason is in the name or the note of the test. */
export default class Skipped implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')])
    const chosen = new Map<string, number>()
    for (const test of skipped) {
      const line = `${relative(process.cwd(), test.module.moduleId)}: ${reasonOf(test)}`
      chosen.set(line, (chosen.get(line) ?? 0) + 1)
    }
    for (const [line, count] of chosen) process.stdout.write(`skipped ${count} of ${line}\n`)
    if (!modules.some(({ project }) => project.name === 'database')) return
    process.stdout.write(
      `SQL on ${process.env.TEST_ENGINE ?? 'postgres'} where both engines must do the same (TEST_ENGINE=both: on both); ` +
        'left out: npm run test:long, npm run proofs\n',
    )
  }
}

/** Returns the note of the skipped test. If the test has no note, returns the name of the skipped block. */
function reasonOf(test: TestCase): string {
  const result = test.result()
  if (result.state === 'skipped' && result.note !== undefined) return result.note
  let whole: string = test.name
  for (let at = test.parent; at.type === 'suite'; at = at.parent) {
    if (at.options.mode === 'skip') whole = at.name
  }
  return whole
}
