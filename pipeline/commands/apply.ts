import type { Command } from 'commander'
import { approve } from '../run/approve.ts'
import { codeOfReports } from '../status/run-outcome.ts'
import { announceInterruption } from './announce-interruption.ts'
import { integrationOf } from './arguments.ts'
import type { CommandIo } from './io.ts'
import { printReports } from './print-report.ts'
import { type GlobalOptions, withContext } from './session.ts'

const HELP = `
Where a newer plan was made since, or something has landed, nothing is sent: exit code 4, and the message names the newest plan.

Examples:
  event-sync apply summit 5c1f9ad0…                        the whole hash, as plan printed it
  event-sync apply summit 5c1f9ad0… --approver "A. Lovelace"  ledger and pack name who approved it`

export function addApplyCommand(program: Command, io: CommandIo, exit: (code: number) => void): void {
  program
    .command('apply')
    .description('apply a stored plan, held or not, and no other')
    .argument('<id>', 'integration')
    .argument('<plan-hash>', 'hash that `plan` or a held `run` printed')
    .option('--approver <name>', 'who approved the plan; left out: the user at the operating system')
    .addHelpText('after', HELP)
    .action(async (id: string, planHash: string, options: { readonly approver?: string }) => {
      const global = program.opts<GlobalOptions>()
      const code = await withContext(global, io, async (opened) => {
        const context = announceInterruption(io, opened, '')
        const integration = integrationOf(context.config, id)
        const approver = options.approver ?? context.environment.user
        const reports = await approve(context, integration, planHash, approver)
        printReports(io, reports, global.json)
        return codeOfReports(context, reports)
      })
      exit(code)
    })
}
