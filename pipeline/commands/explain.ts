import type { Command } from 'commander'
import { ConfigError } from '../config.ts'
import { explainItem } from '../explain/explain.ts'
import { READING_ORDER } from '../report.ts'
import { HIDDEN } from './personal.ts'
import { describeExplanation } from './print-explanation.ts'
import { integrationOf } from './run.ts'
import { type GlobalOptions, withStored } from './session.ts'
import { toVisibleJson } from './visible.ts'

/** `event-sync explain ID CONTENT UNIQUE_ID`. */
export function addExplainCommand(program: Command): void {
  program
    .command('explain')
    .description('where each field of an item came from, through which runs, and why; or why there is none')
    .argument('<id>', 'integration')
    .argument('<content>', READING_ORDER.join(', '))
    .argument('<unique-id>', 'id of the item; of what is not synced, the id of its record at the source')
    .addHelpText(
      'after',
      `
It reads what is stored, not the source: it tells what the last run that read the source knew, and changes nothing.
Exit code 1 where nothing is known of the id; the message says where to look.

Examples:
  event-sync explain summit agenda 101                      why is the session as it is?
  event-sync explain summit attendees 4711                  why is this person missing?
  event-sync explain summit speakers u7 --show-personal     with the values of people
  event-sync explain summit agenda 101 --json               for machines`,
    )
    .action(async (id: string, name: string, uniqueId: string) => {
      const global = program.opts<GlobalOptions>()
      const content = READING_ORDER.find((one) => one === name)
      if (content === undefined) {
        throw new ConfigError(`"${name}" is no content; there are: ${READING_ORDER.join(', ')}`)
      }
      const explanation = await withStored(global, (db, { config }) => {
        const { showPersonal } = global
        return explainItem(db, {
          config,
          integration: integrationOf(config, id),
          content,
          uniqueId,
          showPersonal,
        })
      })
      const text = global.json ? `${toVisibleJson(explanation)}\n` : describeExplanation(explanation)
      process.stdout.write(text)
      if (text.includes(HIDDEN)) {
        const hint = `${HIDDEN} stands for values of people; --show-personal shows them\n`
        if (global.json) process.stderr.write(hint)
        else process.stdout.write(`\n${hint}`)
      }
    })
}
