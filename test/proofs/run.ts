/**
 * The proofs: checks that are too long, too random or too dependent on a quiet machine for the gate. `npm run
 * proofs` runs all, `npm run proofs NAME…` those named; `--quick` uses shorter settings, `-- --seed N`
 * another seed than 1.
 *
 * It continues after a failure, ends with a table (name, result, minutes, seed, log file), and exits with 1
 * if a proof failed. A proof whose tools this machine lacks is `skipped`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { toTable } from '../../pipeline/commands/io.ts'
import { PROOFS, type Proof } from './proofs.ts'

// npm treats `--quick` after the script's name as its own option and passes it on in the environment.
const fromNpm = process.env.npm_config_quick === 'true'
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: fromNpm },
    seed: { type: 'string', default: '1' },
  },
})
const unknown = positionals.filter((name) => PROOFS.every((proof) => proof.name !== name))
if (unknown.length > 0 || !/^\d+$/.test(values.seed))
  throw new Error(
    unknown.length > 0
      ? `no proof ${unknown.join(', ')}; there are ${PROOFS.map(({ name }) => name).join(', ')}`
      : `--seed ${values.seed} is no whole number`,
  )
const folder = mkdtempSync(join(tmpdir(), 'event-sync-proofs-'))

/** Runs the commands of a proof until one fails. All their output goes to the log file. */
async function passes({ full, quick, seedOption, environment }: Proof, logFile: string): Promise<boolean> {
  const log = createWriteStream(logFile)
  await once(log, 'open')
  try {
    for (const command of values.quick ? (quick ?? full) : full) {
      const seed = seedOption === undefined ? [] : [seedOption, values.seed]
      const [script = '', ...args] = command.split(' ')
      const child = spawn('npm', ['run', script, '--', ...args, ...seed], {
        stdio: ['ignore', log, log],
        env: { ...process.env, ...environment },
      })
      const [code] = await once(child, 'close')
      if (code !== 0) return false
    }
    return true
  } finally {
    log.close()
  }
}

const rows: (readonly string[])[] = []
let failed = 0
for (const proof of PROOFS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
  const missing = proof.missing?.() ?? null
  const seed = proof.seedOption === undefined ? '' : values.seed
  if (missing !== null) {
    rows.push([proof.name, `skipped: ${missing}`, '', seed, ''])
    continue
  }
  const logFile = join(folder, `${proof.name}.log`)
  console.log(`${proof.name}: ${logFile}`)
  const startedMs = performance.now()
  const passed = await passes(proof, logFile)
  if (!passed) failed += 1
  const minutes = ((performance.now() - startedMs) / 60_000).toFixed(1)
  rows.push([proof.name, passed ? 'passed' : 'FAILED', minutes, seed, logFile])
}
console.log(`\n${toTable(['proof', 'result', 'minutes', 'seed', 'log'], rows)}`)
process.exitCode = failed === 0 ? 0 : 1
