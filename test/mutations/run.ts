import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startCatcher } from './catcher.ts'
import { allMutants } from './mutants.ts'

/**
 * Inserts one mistake at a time into the code of the rules, and checks that a test fails: `npm run
 * mutations`. A full run takes a day. The run can be split into shares; each share has the same fraction of
 * every file's mutants.
 *
 * `--share K/N` selects the K-th of N shares; `--only TEXT` selects mutants whose key contains the text, and
 * can be repeated; `--list` prints the mutants. The command prints each mutant for which no test failed. The
 * exit code is 1 if tests catch fewer than `--least` per cent of the mutants; for a share a little fewer are
 * enough. Some mutants have no visible effect, so no test can catch them.
 */
const ROOT = join(import.meta.dirname, '../..')

const { values } = parseArgs({
  options: {
    share: { type: 'string', default: '1/1' },
    only: { type: 'string', multiple: true, default: [''] },
    least: { type: 'string', default: '70' },
    list: { type: 'boolean', default: false },
  },
})
const [share = 1, shares = 1] = values.share.split('/').map(Number)
const mutants = allMutants(ROOT)
  .filter(({ key }) => values.only.some((text) => key.includes(text)))
  .filter((_, index) => index % shares === share - 1)

if (values.list) {
  for (const { key } of mutants) console.log(key)
} else {
  await judge()
}

async function judge(): Promise<void> {
  const counts = { caught: 0, survived: 0, 'no program': 0 }
  const catcher = await startCatcher(ROOT)
  try {
    const { by: failure } = await catcher.failureWithoutMutant()
    if (failure !== null) throw new Error(`with nothing broken there fails ${failure}`)
    for (const { key, file, line, from, to, text } of mutants) {
      const startedMs = Date.now()
      const { status, by } = await catcher.judge(file, text)
      counts[status] += 1
      const seconds = ((Date.now() - startedMs) / 1000).toFixed(1)
      console.log(`${seconds} s ${status}: ${key}\n    ${by ?? `${file}:${line}: ${from}\n  → ${to}`}`)
    }
  } finally {
    await catcher.close()
  }
  const judged = counts.caught + counts.survived
  const score = (100 * counts.caught) / judged
  console.log(`${mutants.length} mutants: ${JSON.stringify(counts)}, ${score.toFixed(1)} % caught`)
  // A share may be below the limit by chance, so three standard deviations are allowed. Only 1 of 700 shares
  // is worse than that by chance.
  const least = Number(values.least)
  const deviation = Math.sqrt((least * (100 - least)) / judged)
  process.exitCode = score >= least - 3 * deviation ? 0 : 1
}
