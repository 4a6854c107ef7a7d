import './runtime/v8.ts'
import { openProcessIo } from './commands/io.ts'
import { runCommand } from './commands/program.ts'
import { EXIT } from './runtime/report.ts'

for (const output of [process.stdout, process.stderr]) {
  // If the reader of the output, such as `head`, has ended, a run that is under way continues normally.
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return
    // If the output cannot be written, for example because the disk is full, a run that is under way
    // continues normally. The exit code says that the output is incomplete.
    process.exitCode = EXIT.failed
    if (output === process.stdout) process.stderr.write(`the output cannot be written (${error.code})\n`)
  })
}

const code = await runCommand(process.argv.slice(2), openProcessIo())
if (code !== EXIT.ok) process.exitCode = code
