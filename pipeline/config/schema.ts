import { z } from 'zod'
import type { NotifiedEnd } from '../../sql/tables.ts'
import type { Frozen } from '../schemas/values.ts'
import {
  addressOrReference,
  days,
  fileOrAddress,
  mailAddress,
  must,
  numberBetween,
  secretReference,
  section,
  text,
  wholeNumberBetween,
} from '../settings/values.ts'
import { integrationSchemaWith, NOTHING_OUTSIDE, type Outside } from './integration-schema.ts'
import { brokenRules, nameInList } from './rules.ts'

/** The ends of a run about which a receiver can be notified. */
const notifiedEnds = ['held', 'failed', 'incomplete', 'finished'] as const satisfies readonly NotifiedEnd[]

function timeoutSeconds(what: string) {
  return numberBetween(1, 300)
    .default(10)
    .describe(`Most seconds that ${what} may take with all tries; the end of a run waits so long at most.`)
}

const notifiedOf = {
  on: z
    .array(z.enum(notifiedEnds))
    .min(1, { error: 'must name at least one of held, failed, incomplete and finished' })
    .default(['held', 'failed'])
    .describe(
      'Which states of an integration to report, when they begin, change, last another day and are over: held (exit code 4), failed (1 and 64), incomplete (3); with finished (0), also every run that finished.',
    ),
  for: z
    .array(text())
    .min(1, { error: 'must name at least one integration' })
    .optional()
    .describe('Ids of the integrations whose results are sent; left out: all.')
    .meta({ examples: [['summit']] }),
}

const oneWebhook = section({
  url: addressOrReference()
    .describe('Address to POST to: an https address, or env:NAME or file:PATH where it is a secret itself.')
    .meta({ examples: ['env:WEBHOOK_URL'] }),
  secret: secretReference()
    .optional()
    .describe('Signs what is sent (HMAC-SHA256): env:NAME or file:PATH; left out: not signed.')
    .meta({ examples: ['env:WEBHOOK_SECRET'] }),
  on: notifiedOf.on,
  format: z
    .enum(['json', 'teams'])
    .default('json')
    .describe(
      'Body: json, with a text that Slack shows as it is; teams, an Adaptive Card for a Teams workflow.',
    ),
  for: notifiedOf.for,
  timeoutSeconds: timeoutSeconds('telling'),
})

const webhookSchema = z
  .union([oneWebhook, z.array(oneWebhook).min(1, { error: 'must have at least one webhook' })], {
    error: must('a mapping of keys and values, or a list of these'),
  })
  .optional()
  .describe('Receiver of messages about the integrations, or a list of receivers; left out: none.')

const mailSchema = section({
  smtp: secretReference()
    .describe(
      'Where the address of the mail server is kept: smtp:// (with STARTTLS) or smtps://, as in smtps://USER:PASSWORD@HOST:PORT.',
    )
    .meta({ examples: ['env:SMTP_URL'] }),
  from: mailAddress()
    .describe('Address of the sender.')
    .meta({ examples: ['event-sync@organiser.example'] }),
  to: z
    .array(mailAddress())
    .min(1, { error: 'must name at least one address' })
    .describe('Addresses of the recipients.')
    .meta({ examples: [['data-team@organiser.example']] }),
  ...notifiedOf,
})
  .optional()
  .describe('Sends messages about the integrations by mail; left out: none.')

const lineageSchema = section({
  to: fileOrAddress()
    .describe('File to append to, or https address to POST to, or env:NAME or file:PATH of such an address.')
    .meta({ examples: ['./lineage.jsonl'] }),
  token: secretReference()
    .optional()
    .describe('Bearer token for that address: env:NAME or file:PATH; left out: none.')
    .meta({ examples: ['env:LINEAGE_TOKEN'] }),
  namespace: text().default('event-sync').describe('Namespace of the integrations in the events.'),
  timeoutSeconds: timeoutSeconds('an event'),
})
  .optional()
  .describe('Writes OpenLineage events of each run; left out: none.')

const mebibyte = 1024 * 1024

const httpSchema = section({
  timeoutSeconds: numberBetween(1, 3600)
    .default(30)
    .describe('Seconds without an answer, or within it without a byte, after which a request is given up.'),
  retryBudgetSeconds: numberBetween(0, 86_400)
    .default(300)
    .describe(
      'Seconds that a run may spend on tries that fail and on waiting between them; 0 means no second try.',
    ),
  maxRecordBytes: wholeNumberBetween(1, 512 * mebibyte)
    .default(4 * mebibyte)
    .describe('Largest record in bytes; a larger one is quarantined.'),
  maxResponseBytes: wholeNumberBetween(1, Number.MAX_SAFE_INTEGER)
    .default(2048 * mebibyte)
    .describe('Largest answer in bytes, after decompression; a larger one fails the read.'),
  maxResponseSeconds: numberBetween(1, 86_400)
    .default(300)
    .describe(
      'Seconds that a source may keep its reader waiting for one answer, in all; then it is given up.',
    ),
  maxRecords: wholeNumberBetween(1, Number.MAX_SAFE_INTEGER)
    .default(2_000_000)
    .describe('Most records of a resource, a count; one more fails the read.'),
  maxBytes: wholeNumberBetween(1, Number.MAX_SAFE_INTEGER)
    .default(16_384 * mebibyte)
    .describe(
      'Most bytes that a run reads of a resource, after decompression, failed tries included; more fail the read.',
    ),
  resumeMinutes: numberBetween(0, 10_080)
    .default(60)
    .describe(
      'Minutes for which a later run may use what a run that died had read completely; 0 means never.',
    ),
  caFile: text()
    .optional()
    .describe(
      'File with the certificates (PEM) of private authorities to trust; left out: only those that Node trusts.',
    )
    .meta({ examples: ['private-ca.pem'] }),
  proxy: addressOrReference()
    .optional()
    .describe(
      'Proxy for all requests: an address, or env:NAME or file:PATH of one with a user name and a password; left out: HTTPS_PROXY and HTTP_PROXY. NO_PROXY exempts hosts from either.',
    )
    .meta({ examples: ['http://proxy.example:3128'] }),
})
  .prefault({})
  .describe('Requests to sources and platforms.')

const auditSchema = section({
  personalData: z
    .enum(['full', 'masked'])
    .default('full')
    .describe('Whether personal values are in the audit pack as they are, or masked.'),
  excel: z
    .boolean()
    .default(false)
    .describe('Whether CSV files begin with a byte order mark, by which Excel knows UTF-8.'),
  signingKey: secretReference()
    .optional()
    .describe('Private key that signs the audit pack: file:PATH or env:NAME; left out: not signed.')
    .meta({ examples: ['file:signing-key.pem'] }),
})
  .prefault({})
  .describe('The CSV audit pack that every run leaves.')

/** The schema of the folder in `output`. */
export const outputFolderSchema = text()
  .default('./out')
  .describe('Folder that receives audit packs and operations files.')

const outputSchema = z
  .union(
    [
      text().transform((folder) => ({ folder, mode: 'private' as const })),
      section({
        folder: outputFolderSchema,
        mode: z
          .enum(['private', 'group', 'public'])
          .default('private')
          .describe(
            'Who can read new files with data of people, besides their owner: nobody, the group, or every user of this machine.',
          ),
      }),
    ],
    { error: must('the name of a folder, or a mapping with folder and mode') },
  )
  .prefault({})
  .describe('Folder of audit packs and operations files, and who can read them; or only the folder.')

const workerSchema = section({
  perAccount: wholeNumberBetween(1, 1000)
    .optional()
    .describe(
      'Most runs at once with the same source account, at all workers together; left out: any number.',
    )
    .meta({ examples: [4] }),
  perPlatform: wholeNumberBetween(1, 1000)
    .optional()
    .describe('Most runs at once to the same platform host, at all workers together; left out: any number.')
    .meta({ examples: [4] }),
})
  .optional()
  .describe('Limits for all workers together; left out: none.')
  .meta({ examples: [{ perAccount: 4, perPlatform: 4 }] })

const retentionSchema = section({
  packs: days()
    .optional()
    .describe('Age in days at which the files of packs are deleted, such as 400d; left out: never.')
    .meta({ examples: ['400d'] }),
  history: days()
    .optional()
    .describe(
      'Age in days at which the rows are deleted that old runs have read, planned and sent, such as 400d; left out: never.',
    )
    .meta({ examples: ['400d'] }),
  unchangedRuns: days()
    .optional()
    .describe(
      'Age in days at which the files of packs are deleted whose runs found the same as an earlier run, such as 30d; left out: as packs.',
    )
    .meta({ examples: ['30d'] }),
})
  .optional()
  .describe(
    'How long data of old runs is kept: packs, history, and packs of unchangedRuns. Workers delete what is older, a little at a time; left out: for ever.',
  )
  .meta({ examples: [{ packs: '400d', history: '400d', unchangedRuns: '30d' }] })

/**
 * The schema of `event-sync.yaml`: every key with its default, its unit and its purpose. Secrets are written
 * as references, such as `env:NAME`. Before this schema is applied, `integrations` must be a list, and the
 * defaults must already be merged.
 *
 * @param nameOf returns the name by which a message calls another integration
 */
export const configSchemaWith = (outside: Outside, nameOf = nameInList) =>
  section({
    database: secretReference()
      .optional()
      .describe(
        'Where the PostgreSQL URL is kept, such as env:DATABASE_URL; left out: embedded, .event-sync/db.',
      )
      .meta({ examples: ['env:DATABASE_URL'] }),
    output: outputSchema,
    defaults: z
      .record(z.string(), z.unknown(), { error: must('a mapping of keys of an integration') })
      .optional()
      .describe(
        'Values for every integration: any of its keys except id and name. What an integration says itself counts, and null switches a default off; left out: none.',
      )
      .meta({ examples: [{ removals: { maxShare: 0.1 } }] }),
    integrations: z
      .array(integrationSchemaWith(outside))
      .min(1, { error: 'must hold at least one integration' })
      .describe(
        'The source events to sync, each to one platform event. Instead of one, or of all, the name of a file or a glob, such as ./customers/*.yaml.',
      ),
    http: httpSchema,
    audit: auditSchema,
    worker: workerSchema,
    retention: retentionSchema,
    webhook: webhookSchema,
    mail: mailSchema,
    lineage: lineageSchema,
    sealingKey: secretReference()
      .optional()
      .describe(
        'Key that seals random passwords and knows forgotten people again, 32 bytes in base64: env:NAME or file:PATH; left out: no mode random, no forget.',
      )
      .meta({ examples: ['env:EVENT_SYNC_KEY'] }),
    formerSealingKeys: z
      .array(secretReference())
      .optional()
      .describe(
        'Keys that were the sealingKey before, under which people were forgotten or passwords sealed, each env:NAME or file:PATH; left out: none.',
      )
      .meta({ examples: [['env:EVENT_SYNC_KEY_OF_2030']] }),
  })
    .superRefine(
      (config, context) => {
        for (const { path, message } of brokenRules(config, nameOf, outside.targets)) {
          context.addIssue({ code: 'custom', path: [...path], message })
        }
      },
      { when: () => true },
    )
    .meta({ title: 'event-sync.yaml', description: 'What event-sync copies, from where to where, and how.' })

/** The schema of a configuration that uses only sources and targets of this package. */
export const configSchema = configSchemaWith(NOTHING_OUTSIDE)

/** Keys whose values are texts even if YAML would read a number. For example, `eventId: 007` is not 7. */
export const keysOfText: ReadonlySet<string> = new Set([
  'id',
  'eventId',
  'version',
  'speakerRegistrantType',
  'clientId',
])

/**
 * A checked configuration, which the product uses. The integrations in a checked configuration have their
 * default values.
 */
export type Config = Frozen<Omit<z.output<typeof configSchema>, 'defaults'>>
export type IntegrationConfig = Config['integrations'][number]
export type WebhookConfig = Frozen<z.output<typeof oneWebhook>>
export type Retention = NonNullable<Config['retention']>
export type MailConfig = NonNullable<Config['mail']>
export type LineageConfig = NonNullable<Config['lineage']>
