import { z } from 'zod'
import type { NotifiedEnd } from '../../sql/tables.ts'
import {
  addressOrReference,
  fileOrAddress,
  numberBetween,
  secretReference,
  section,
  text,
} from '../settings/values.ts'

/** Ends of a run of which a webhook can be notified. */
const toldEnds = ['held', 'failed', 'incomplete', 'finished'] as const satisfies readonly NotifiedEnd[]

function timeoutSeconds(what: string) {
  return numberBetween(1, 300)
    .default(10)
    .describe(`Most seconds that ${what} may take with all tries; the end of a run waits so long at most.`)
}

export const webhookSchema = section({
  url: addressOrReference()
    .describe('Where to POST: an https address, or env:NAME or file:PATH where it is a secret itself.')
    .meta({ examples: ['env:WEBHOOK_URL'] }),
  secret: secretReference()
    .optional()
    .describe('Signs what is sent (HMAC-SHA256): env:NAME or file:PATH; left out: not signed.')
    .meta({ examples: ['env:WEBHOOK_SECRET'] }),
  on: z
    .array(z.enum(toldEnds))
    .min(1, { error: 'must name at least one of held, failed, incomplete and finished' })
    .default(['held', 'failed'])
    .describe(
      'Ends of a run to tell of: held (exit code 4), failed (1 and 64), incomplete (3), finished (0).',
    ),
  timeoutSeconds: timeoutSeconds('telling'),
})
  .optional()
  .describe('Where to send the result of each run; left out: nowhere.')

export const lineageSchema = section({
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
