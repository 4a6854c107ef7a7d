import type { Command } from 'commander'
import { explainItem } from '../explain/explain.ts'
import { READING_ORDER } from '../runtime/report.ts'
import { HIDDEN, HIDDEN_HINT } from '../text/personal.ts'
import { toVisibleJson } from '../text/visible.ts'
import { contentOf, integrationOf } from './arguments.ts'
import type { CommandIo } from './io.ts'
import { describeExplanation } from './print-explanation.ts'
import { type GlobalOptions, withStored } from './session.ts'

const HELP = `
It reads what is stored, not the source: it says what the last run that read the source knew, and changes nothing.
Exit code 1 where nothing is known of the id; the message says where to look.

Examples:
  event-sync explain summit agenda 101                      why is the session as it is?
  event-sync explain summit attendees 4711                  why is this person missing?
  event-sync explain summit speakers u7 --show-personal     with the values of people
  event-sync explain summit agenda 101 --json               for machines`

export function addExplainCommand(program: Command, io: CommandIo): void {
  program
    .command('explain')
    .description('where each field of an item came from, through which runs, and why; or why there is none')
    .argument('<id>', 'integration')
    .argument('<content>', READING_ORDER.join(', '))
    .argument('<unique-id>', 'id of the item; of what is not synced, the id of its record at the source')
    .addHelpText('after', HELP)
    .action(async (id: string, name: string, uniqueId: string) => {
      const global = program.opts<GlobalOptions>()
      const content = contentOf(name)
      const { showPersonal } = global
      const explanation = await withStored(global, io, (db, { config }) => {
        const integration = integrationOf(config, id)
        return explainItem(db, { config, integration, content, uniqueId, showPersonal })
      })
      const text = global.json ? `${toVisibleJson(explanation)}\n` : describeExplanation(explanation)
      io.stdout.write(text)
      if (!text.includes(HIDDEN)) return
      if (global.json) io.stderr.write(HIDDEN_HINT)
      else io.stdout.write(`\n${HIDDEN_HINT}`)
    })
}
