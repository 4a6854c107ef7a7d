import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'

const MODULE = join(packageRoot, 'pipeline/runtime/v8.ts')

// Each program runs in its own process, because V8 flags apply to a whole process.
const growing = `
import { setTimeout as sleep } from 'node:timers/promises'
import { getHeapSpaceStatistics } from 'node:v8'
const room = () => {
  const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')
  return young.space_used_size + young.space_available_size
}
const atFirst = room()
await import(${JSON.stringify(MODULE)})
const enlarged = room()
let reduced = enlarged
for (let looks = 0; looks < 100 && reduced === enlarged; looks += 1) {
  await sleep(100)
  gc()
  reduced = room()
}
for (let looks = 0; looks < 100 && room() < enlarged; looks += 1) await sleep(100)
console.log(JSON.stringify([enlarged / atFirst, reduced / atFirst, room() / atFirst]))`

test('the young generation of the heap becomes 16 times as large as at start, and again after V8 has shrunk it', () => {
  const args = ['--expose-gc', '--input-type=module', '--eval', growing]
  const [enlarged, reduced, later] = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
  expect(enlarged).toBeCloseTo(16)
  expect(reduced).toBeLessThan(enlarged)
  expect(later).toBeCloseTo(16)
})

/** Modules that only few commands use, or that only re-export others. */
const RARE = ['async_hooks', 'child_process', 'http', 'stream/consumers', 'worker_threads']

test('V8 takes the compiled code of Node for the modules of Node that the product imports, although flags are set', () => {
  const sources = globSync('{pipeline,loaders,transforms,sql}/**/*.ts', { cwd: packageRoot })
  const imported = sources.flatMap((file) =>
    Array.from(
      readFileSync(join(packageRoot, file), 'utf8').matchAll(/from 'node:([\w/]+)'/g),
      ([, name = '']) => name,
    ),
  )
  const names = [...new Set(imported)].filter((name) => !RARE.includes(name))
  expect(names).toContain('crypto')
  const loading = `
    const builtins = require('internal/test/binding').internalBinding('builtins')
    const compiled = () => [...builtins.getCacheUsage().compiledWithoutCache]
    import(${JSON.stringify(MODULE)}).then(() => {
      const before = compiled()
      for (const name of ${JSON.stringify(names)}) process.getBuiltinModule(name)
      console.log(JSON.stringify(compiled().filter((name) => !before.includes(name))))
    })`
  const args = ['--expose-internals', '--no-warnings', '--eval', loading]
  expect(JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))).toEqual([])
})

const optimizing = `
await import(${JSON.stringify(MODULE)})
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
  const args = ['--allow-natives-syntax', '--input-type=module', '--eval', optimizing]
  expect(JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))).toEqual({
    afterFew: false,
    afterMany: true,
  })
})
