import type { Command } from 'commander'
import { checkIntegration } from '../check/check-integration.ts'
import { databaseFinding } from '../check/database.ts'
import type { CheckedPart } from '../check/findings.ts'
import { EXIT } from '../report.ts'
import { printChecks } from './print-checks.ts'
import { integrationOf } from './run.ts'
import { type GlobalOptions, openConfig } from './session.ts'

/** `event-sync check [ID…]`. */
export function addCheckCommand(program: Command, exit: (code: number) => void): void {
  program
    .command('check')
    .description(
      'configuration, credentials, reachability and the set-up of the source account; writes nothing',
    )
    .argument('[id...]', 'integrations; left out: all of the configuration')
    .addHelpText(
      'after',
      `
Exit code 1 where a rule failed. What came may not tell: that is "not checkable", and no fault.

Examples:
  event-sync check                    every integration of event-sync.yaml
  event-sync check summit             this one
  event-sync check --json summit      for machines: {"checks":[{"integration","rule","clause","verdict","seen","todo"}]}`,
    )
    .action(async (ids: string[]) => {
      const global = program.opts<GlobalOptions>()
      const context = openConfig(global)
      const { config, secrets } = context
      const integrations = ids.length === 0 ? config.integrations : ids.map((id) => integrationOf(config, id))
      const database = await databaseFinding(config, secrets)
      const parts: CheckedPart[] = [{ integration: null, title: 'database', findings: [database] }]
      for (const integration of integrations) parts.push(await checkIntegration(context, integration))
      printChecks(parts, global.json)
      const hasFault = parts.some(({ findings }) => findings.some(({ verdict }) => verdict === 'failed'))
      exit(hasFault ? EXIT.failed : EXIT.ok)
    })
}
