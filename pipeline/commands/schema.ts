import type { Command } from 'commander'
import { jsonSchema } from '../config.ts'

/** `event-sync schema`. */
export function addSchemaCommand(program: Command): void {
  program
    .command('schema')
    .description('the JSON Schema of event-sync.yaml, for editors; needs no configuration')
    .addHelpText(
      'after',
      `
Examples:
  event-sync schema > event-sync.schema.json

An editor with a YAML language server then knows every key, where event-sync.yaml begins with
  # yaml-language-server: $schema=event-sync.schema.json`,
    )
    .action(() => {
      process.stdout.write(`${JSON.stringify(jsonSchema(), null, 2)}\n`)
    })
}
