/**
 * Runs the proofs: checks that take too long for the usual tests, depend on chance, or need an otherwise idle
 * machine. `npm run proofs` runs all proofs, `npm run proofs NAME…` only the named proofs. The option
 * `--quick` chooses shorter runs, and `-- --seed N` another seed than 1.
 *
 * If a proof fails, the other proofs still run. At the end a table shows name, result, minutes, seed and log
 * file of each proof. The exit code is 1 if a proof failed. A proof is `skipped` if a program that it needs
 * is missing on this machine.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { toTable } from '../../pipeline/commands/io.ts'
import { PROOFS, type Proof } from './proofs.ts'

// If `--quick` follows the script's name, npm takes it as its own option and passes it on only as an
// environment variable.
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

/** Runs the scripts of a proof until a script fails. All output is written to the log file. */
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
