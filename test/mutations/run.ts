import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startCatcher } from './catcher.ts'
import { allMutants } from './mutants.ts'

/**
 * Breaks the rules at one place after the other, and runs the tests until one fails: `npm run mutations`, a day; a share has as much of
 * each file as the others.
 *
 * `--share K/N` takes the K-th of N shares; `--only TEXT` those whose key holds the text, and may come several times; `--list` prints
 * them. Prints each that survived, and ends with 1 where so few are caught that of all of them it is less than `--least` per cent: some
 * mutants change nothing that anybody could see.
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
      const { verdict, by } = await catcher.judge(file, text)
      counts[verdict] += 1
      const seconds = ((Date.now() - startedMs) / 1000).toFixed(1)
      console.log(`${seconds} s ${verdict}: ${key}\n    ${by ?? `${file}:${line}: ${from}\n  → ${to}`}`)
    }
  } finally {
    await catcher.close()
  }
  const judged = counts.caught + counts.survived
  const score = (100 * counts.caught) / judged
  console.log(`${mutants.length} mutants: ${JSON.stringify(counts)}, ${score.toFixed(1)} % caught`)
  // By chance alone a share of them is worse than the whole: by more than three standard deviations once in 700 times.
  const least = Number(values.least)
  const deviation = Math.sqrt((least * (100 - least)) / judged)
  process.exitCode = score >= least - 3 * deviation ? 0 : 1
}
