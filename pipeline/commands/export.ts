import type { Command } from 'commander'
import { exportRun } from '../packs/export.ts'
import { audit } from '../run/audit.ts'
import { finishInterrupted, withLock } from '../run/recorded-run.ts'
import { codeOfReports } from '../status/run-outcome.ts'
import { findRun, integrationOf, requireRunId } from './arguments.ts'
import type { CommandIo } from './io.ts'
import { printReports } from './print-report.ts'
import { type GlobalOptions, withContext } from './session.ts'

const HELP = `
The pack is written beside its place and put there if its manifest has the SHA-256 that the database remembers.
A run whose plan has landed but whose pack was not written, as after a full disk, is finished.

Examples:
  event-sync export 01985c7e-0000-7000-8000-000000000001`

export function addExportCommand(program: Command, io: CommandIo, exit: (code: number) => void): void {
  program
    .command('export')
    .description("write a run's audit pack again, byte for byte")
    .argument('<run>', 'id of the run')
    .addHelpText('after', HELP)
    .action(async (runId: string) => {
      const global = program.opts<GlobalOptions>()
      requireRunId(runId)
      const code = await withContext(global, io, async (context) => {
        const record = await findRun(context, runId)
        if (record.status === 'applied') {
          const integration = integrationOf(context.config, record.integration_id)
          const reports = await withLock(context, integration, (locked) =>
            finishInterrupted(locked, integration, (run) => run.step('audit', () => audit(run))),
          )
          printReports(io, reports, global.json)
          return codeOfReports(context, reports)
        }
        const folder = await exportRun(context, record)
        io.stdout.write(global.json ? `${JSON.stringify({ run: runId, output: folder })}\n` : `${folder}\n`)
        return 0
      })
      exit(code)
    })
}
