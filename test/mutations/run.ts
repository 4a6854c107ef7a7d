import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { mutations } from './all.ts'
import { catcherOf, failureWithoutMutation } from './catcher.ts'
import type { Mutation } from './mutation.ts'

/**
 * Breaks each rule in turn, in a copy of the project, and runs the tests until one fails: `npm run mutations`.
 *
 * `--only TEXT` takes those whose name or file holds the text, and may come several times; `--every N` each Nth. Ends with 1 if one was not
 * caught, and prints caught/total.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const LEFT_OUT = new Set(['node_modules', '.git', '.event-sync', 'event-sync-demo'])

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [''] },
    every: { type: 'string', default: '1' },
  },
})
const every = Number(values.every)
const chosen = mutations
  .filter(({ breaks, file }) => values.only.some((text) => `${file}: ${breaks}`.includes(text)))
  .filter((_, index) => index % every === 0)

const folder = mkdtempSync(join(tmpdir(), 'event-sync-mutations-'))
const waiting = [...chosen]
const survivors: Mutation[] = []
try {
  const failure = await failureWithoutMutation(copyOfProject(join(folder, 'whole')))
  if (failure !== null) throw new Error(`with nothing broken there fails ${failure}`)
  const lanes = Array.from({ length: Math.min(availableParallelism(), 4) }, (_, lane) => workThrough(lane))
  await Promise.all(lanes)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
const caught = chosen.length - survivors.length
for (const { file, breaks } of survivors) console.log(`NOT CAUGHT: ${file}: ${breaks}`)
console.log(`${caught}/${chosen.length} mutations caught`)
process.exitCode = caught === chosen.length && chosen.length > 0 ? 0 : 1

async function workThrough(lane: number): Promise<void> {
  const copy = copyOfProject(join(folder, String(lane)))
  for (let mutation = waiting.shift(); mutation !== undefined; mutation = waiting.shift()) {
    const startedMs = Date.now()
    const catcher = await catcherOf(copy, mutation).catch((error: unknown) => {
      console.log(`${mutation.file}: ${mutation.breaks}: ${error instanceof Error ? error.message : error}`)
      return null
    })
    const seconds = ((Date.now() - startedMs) / 1000).toFixed(0)
    if (catcher === null) survivors.push(mutation)
    console.log(
      `${catcher === null ? 'NOT CAUGHT' : 'caught'} in ${seconds} s: ${mutation.file}: ${mutation.breaks}`,
    )
    if (catcher !== null) console.log(`    by ${catcher}`)
  }
}

function copyOfProject(to: string): string {
  cpSync(ROOT, to, {
    recursive: true,
    filter: (path) => !LEFT_OUT.has(basename(path)),
  })
  if (!existsSync(join(to, 'node_modules'))) symlinkSync(join(ROOT, 'node_modules'), join(to, 'node_modules'))
  return to
}
