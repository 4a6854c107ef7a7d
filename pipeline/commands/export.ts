import type { Command } from 'commander'
import { findRuns } from '../../loaders/ledger.ts'
import { audit } from '../audit.ts'
import { ConfigError } from '../config.ts'
import { exportRun } from '../export.ts'
import { finishInterrupted, withLock } from '../recorded-run.ts'
import { exitCodeOf, worst } from '../report.ts'
import { isRunId } from '../run-id.ts'
import { printReports } from './print-report.ts'
import { integrationOf, maxQuarantined } from './run.ts'
import { type GlobalOptions, withContext } from './session.ts'

/** `event-sync export RUN`. */
export function addExportCommand(program: Command, exit: (code: number) => void): void {
  program
    .command('export')
    .description("write a run's audit pack again, byte for byte")
    .argument('<run>', 'id of the run')
    .addHelpText(
      'after',
      `
The pack is written beside its place and put there if its manifest has the SHA-256 that the database remembers.
A run whose plan has landed but whose pack was not written, as after a full disk, is finished.

Examples:
  event-sync export 01985c7e-0000-7000-8000-000000000001`,
    )
    .action(async (runId: string) => {
      const global = program.opts<GlobalOptions>()
      if (!isRunId(runId))
        throw new ConfigError(`"${runId}" is not the id of a run; \`event-sync runs\` lists them`)
      const code = await withContext(global, async (context) => {
        const [record] = await findRuns(context.database.kysely, { runId })
        if (record === undefined)
          throw new ConfigError(`there is no run ${runId}; \`event-sync runs\` lists them`)
        if (record.status === 'applied') {
          const integration = integrationOf(context.config, record.integration_id)
          const reports = await withLock(context, integration, (locked) =>
            finishInterrupted(locked, integration, (run) => run.step('audit', () => audit(run))),
          )
          printReports(reports, global.json)
          return worst(reports.map((report) => exitCodeOf(report, maxQuarantined(context, report))))
        }
        const folder = await exportRun(context, record)
        process.stdout.write(
          global.json ? `${JSON.stringify({ run: runId, output: folder })}\n` : `${folder}\n`,
        )
        return 0
      })
      exit(code)
    })
}
