import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'

/** The program runs in its own process, because V8 flags apply to a whole process. */
const program = `
await import(${JSON.stringify(join(packageRoot, 'pipeline/runtime/compiling.ts'))})
const work = (number) => number * 2 + 1
const isOptimized = () => (%GetOptimizationStatus(work) & 16) !== 0
const run = (times) => {
  for (let time = 0; time < times; time += 1) work(time)
  return isOptimized()
}
const afterFew = run(2_000)
let afterMany = false
for (let looks = 0; looks < 100 && !afterMany; looks += 1) {
  afterMany = run(10_000)
  await new Promise((resolve) => setTimeout(resolve, 10))
}
console.log(JSON.stringify({ afterFew, afterMany }))`

test('V8 optimizes a function that runs very often, and not one that runs 2,000 times', () => {
  const args = ['--allow-natives-syntax', '--input-type=module', '--eval', program]
  expect(JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))).toEqual({
    afterFew: false,
    afterMany: true,
  })
})
