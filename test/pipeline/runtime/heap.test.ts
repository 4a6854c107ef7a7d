import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'

/** The program runs in its own process, because V8 flags apply to a whole process. */
const program = `
import { setTimeout as sleep } from 'node:timers/promises'
import { getHeapSpaceStatistics } from 'node:v8'
const room = () => {
  const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')
  return young.space_used_size + young.space_available_size
}
const atFirst = room()
await import(${JSON.stringify(join(packageRoot, 'pipeline/runtime/heap.ts'))})
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
  const args = ['--expose-gc', '--input-type=module', '--eval', program]
  const [enlarged, reduced, later] = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
  expect(enlarged).toBeCloseTo(16)
  expect(reduced).toBeLessThan(enlarged)
  expect(later).toBeCloseTo(16)
})
