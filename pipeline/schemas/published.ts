/** The published JSON Schemas, by name. */
import { z } from 'zod'
import { LISTS } from '../../loaders/files/read.ts'
import { explained, missing, quarantined, suppressed, unsuppressed } from './items.ts'
import { details, exported, madeEvidence, manifest, verification } from './packs.ts'
import { ended, forgotten, purges, suppressions } from './people.ts'
import { diff, plans, reports, runs, shown, statuses } from './runs.ts'
import {
  checks,
  dbtSources,
  failure,
  log,
  moved,
  paused,
  receivers,
  renamed,
  resumed,
  rows,
  schedules,
  servedDatabase,
  written,
} from './setup.ts'
import { message } from './webhook.ts'

/** The schema of the `--json` output of each command, by the name of the command. */
export const OUTPUTS = {
  init: written,
  check: checks,
  notify: receivers,
  run: reports,
  plan: plans,
  apply: reports,
  rollback: plans,
  pause: paused,
  resume: resumed,
  status: statuses,
  runs,
  show: shown,
  log,
  diff,
  explain: explained,
  missing,
  quarantine: quarantined,
  sql: rows,
  'serve-database': servedDatabase,
  'dbt-sources': dbtSources,
  export: exported,
  evidence: madeEvidence,
  verify: verification,
  schedule: schedules,
  suppress: suppressed,
  unsuppress: unsuppressed,
  forget: forgotten,
  suppressions,
  purge: purges,
  rename: renamed,
  erase: ended,
  move: moved,
} as const satisfies Readonly<Record<string, z.ZodType>>

export type OutputName = keyof typeof OUTPUTS

const OTHERS = {
  error: { schema: failure, title: 'Output of a command with --json that could not do its work' },
  webhook: { schema: message, title: 'Message to a webhook' },
  manifest: { schema: manifest, title: 'manifest.json of an audit pack' },
  details: { schema: details, title: 'details.json of an audit pack' },
} as const

/** Names of the published schemas, except those of the configuration. */
export const PUBLISHED = [...Object.keys(OUTPUTS), ...Object.keys(OTHERS)] as readonly PublishedName[]

export type PublishedName = OutputName | keyof typeof OTHERS

const VERSION = 'https://json-schema.org/draft/2020-12/schema'

export type JsonSchema = z.core.JSONSchema.BaseSchema

/**
 * Makes a published JSON Schema, of version 2020-12. It accepts keys that it does not name, because a newer
 * version of the product may add keys.
 */
export function publishedSchema(name: PublishedName): JsonSchema {
  const { schema, title } =
    name in OTHERS ? OTHERS[name as keyof typeof OTHERS] : outputOf(name as OutputName)
  return { $schema: VERSION, title, ...withoutVersion(toJsonSchema(schema)) }
}

function outputOf(name: OutputName) {
  return { schema: OUTPUTS[name], title: `Output of event-sync ${name} --json` }
}

function toJsonSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      // zod cannot see the elements of a list that a transformation reads.
      const element = LISTS.get(zodSchema)
      if (element !== undefined) jsonSchema.items = withoutVersion(toJsonSchema(element))
    },
  })
}

function withoutVersion({ $schema: _, ...schema }: JsonSchema): JsonSchema {
  return schema
}
