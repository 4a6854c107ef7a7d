import { Argument } from 'commander'
import { fileSchema, integrationFileSchema } from '../config/config.ts'
import { EXIT } from '../runtime/report.ts'
import { PUBLISHED, publishedSchema } from '../schemas/published.ts'
import { defineCommand } from './define-command.ts'

/** Every JSON Schema of the product, by name. */
export const SCHEMAS: Readonly<Record<string, () => object>> = {
  configuration: fileSchema,
  integrations: integrationFileSchema,
  ...Object.fromEntries(PUBLISHED.map((name) => [name, () => publishedSchema(name)])),
}

/** Name of the file with the JSON Schema, which is in the folder of the configuration. */
export const SCHEMA_FILE = 'event-sync.schema.json'

/** The first comment of the configuration. Editors read this comment to find the JSON Schema. */
export const FOR_EDITORS = `yaml-language-server: $schema=./${SCHEMA_FILE}`

const HELP = `
configuration is event-sync.yaml, and integrations a file that its \`integrations\` names. The name of a command is what the command prints with
--json; error is what it prints if it cannot do its work. webhook is a message to a webhook, and manifest and details are manifest.json and details.json of an audit pack.
The package has the same schemas as files: event-content-sync/schemas/NAME.json. They accept further keys, which a newer version may add.

Examples:
  event-sync schema > event-sync.schema.json          for an editor that checks event-sync.yaml
  event-sync schema --no-color > ci/schema.json        for a check of event-sync.yaml in CI
  event-sync schema integrations > integrations.schema.json    for the files that \`integrations\` names
  event-sync schema status > status.schema.json        for a program that reads \`event-sync status --json\`
  event-sync schema webhook > webhook.schema.json      for a receiver of messages

An editor with a YAML language server then knows every key, if event-sync.yaml begins with
  # ${FOR_EDITORS}`

export const addSchemaCommand = defineCommand({
  name: 'schema',
  summary: 'the JSON Schema of event-sync.yaml, of an output of --json, of a message or a manifest',
  help: HELP,
  args: [
    new Argument('[name]', 'what the schema describes; see below')
      .choices(Object.keys(SCHEMAS))
      .default('configuration'),
  ],
  exits: ['failed', 'usage'],
  async run({ io }, name: string) {
    io.stdout.write(schemaText(name))
    return EXIT.ok
  },
})

/** Returns a JSON Schema as the text of a file. */
export function schemaText(name: string): string {
  return `${JSON.stringify(SCHEMAS[name]?.(), null, 2)}\n`
}
