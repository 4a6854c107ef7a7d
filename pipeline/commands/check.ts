import type { Command } from 'commander'
import type { Database } from '../../sql/database.ts'
import { checkIntegration } from '../check/check-integration.ts'
import { secretFindings } from '../check/config-secrets.ts'
import { databaseFinding } from '../check/database.ts'
import { openScratch } from '../check/preview.ts'
import type { BaseContext } from '../context/run-context.ts'
import { isMigrated } from '../database/migrate.ts'
import { EXIT } from '../runtime/report.ts'
import type { CheckedPart } from '../sources/contract/findings.ts'
import { outsideSourcesOf } from '../sources/registry.ts'
import { integrationsOf } from './arguments.ts'
import { type CommandIo, printBoth } from './io.ts'
import { checksJson, describeChecks } from './print-checks.ts'
import { type GlobalOptions, openConfig, openDatabase } from './session.ts'

const HELP = `
Exit code 1 where a rule failed. Where what came does not show it, a rule is "not checkable", which is no fault. Says of each content
how many records the next run would sync, and why not the others; people who were forgotten are among them. Of a PostgreSQL it says
whether the next run could go on from it: not where it was restored from a backup, or where another integration writes to the platform event.

Examples:
  event-sync check                    every integration of event-sync.yaml
  event-sync check summit             this one
  event-sync check --json summit      for machines: {"checks":[{"integration","rule","clause","verdict","seen","todo"}],
                                      "integrations":{"summit":{"agenda":{"synced":17,"excluded":{"not_published":44},"quarantined":0}}}}`

export function addCheckCommand(program: Command, io: CommandIo, exit: (code: number) => void): void {
  program
    .command('check')
    .description(
      'configuration, credentials, reachability and the set-up of the source account; writes nothing',
    )
    .argument('[id...]', 'integrations; left out: all of the configuration')
    .addHelpText('after', HELP)
    .action(async (ids: string[]) => {
      const global = program.opts<GlobalOptions>()
      const context = await openConfig(global, io)
      const { config, secrets } = context
      const integrations = integrationsOf(config, ids)
      const database = await databaseFinding(config, secrets)
      const parts: CheckedPart[] = [{ integration: null, title: 'database', findings: [database] }]
      const findings = secretFindings(context)
      if (findings.length > 0) parts.push({ integration: null, title: 'signing and notifications', findings })
      const scratch = await openScratch(outsideSourcesOf(config))
      const ledger = database.verdict === 'ok' ? await openLedger(context) : null
      try {
        for (const integration of integrations) {
          parts.push(await checkIntegration(context, integration, scratch, ledger))
        }
      } finally {
        await scratch.close()
        await ledger?.close()
      }
      printBoth(io, global.json, describeChecks(parts), checksJson(parts))
      const hasFault = parts.some(({ findings }) => findings.some(({ verdict }) => verdict === 'failed'))
      exit(hasFault ? EXIT.failed : EXIT.ok)
    })
}

/** @returns null where it is embedded, since even to open that would write, and where this version has not run in it yet */
async function openLedger(context: BaseContext): Promise<Database | null> {
  if (context.config.database === undefined) return null
  const database = await openDatabase(context)
  const hasRun = await isMigrated(database, outsideSourcesOf(context.config))
  if (!hasRun) await database.close()
  return hasRun ? database : null
}
