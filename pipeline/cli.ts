import './runtime/heap.ts'
import { setFlagsFromString } from 'node:v8'
import { openProcessIo } from './commands/io.ts'
import { runCommand } from './commands/program.ts'
import { EXIT } from './runtime/report.ts'

// V8 would compile much of the embedded database a second time, optimized: that takes longer than it saves while the database
// is small. `openPGlite` allows it for a large one.
setFlagsFromString('--wasm-tier-up-filter=2147483647')

for (const output of [process.stdout, process.stderr]) {
  // The reader, such as `head`, is gone: a run that is under way ends as it would have.
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return
    // A full disk, say; a run that is under way ends as it would have, but nobody could read what it printed.
    process.exitCode = EXIT.failed
    if (output === process.stdout) process.stderr.write(`the output cannot be written (${error.code})\n`)
  })
}

const code = await runCommand(process.argv.slice(2), openProcessIo())
if (code !== EXIT.ok) process.exitCode = code
