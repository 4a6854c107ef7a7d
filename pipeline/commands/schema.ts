import type { Command } from 'commander'
import { jsonSchema } from '../config/config.ts'
import type { CommandIo } from './io.ts'

const HELP = `
Examples:
  event-sync schema > event-sync.schema.json

An editor with a YAML language server then knows every key, where event-sync.yaml begins with
  # yaml-language-server: $schema=event-sync.schema.json`

export function addSchemaCommand(program: Command, io: CommandIo): void {
  program
    .command('schema')
    .description('the JSON Schema of event-sync.yaml, for editors; needs no configuration')
    .addHelpText('after', HELP)
    .action(() => {
      io.stdout.write(`${JSON.stringify(jsonSchema(), null, 2)}\n`)
    })
}
