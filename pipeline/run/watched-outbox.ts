import type { Kysely } from 'kysely'
import { openOutbox, type Passwords } from '../../loaders/platform/outbox.ts'
import type { Batch, FirstPassword, Outbox, Result } from '../../loaders/platform/target.ts'
import type { Database } from '../../sql/database.ts'
import type { StoredCommand, Tables } from '../../sql/tables.ts'
import {
  ConfigError,
  type IntegrationConfig,
  resolveGlobalPassword,
  resolveSealingKeys,
} from '../config/config.ts'
import { idOpenerOf, seal, unsealWith } from '../context/keys.ts'
import { type BaseContext, type RunContext, timestamp } from '../context/run-context.ts'
import type { Environment } from '../runtime/environment.ts'
import type { AnsweredBatch, Rejected, SentBatch } from '../runtime/events.ts'
import { targetTypeOf } from '../targets/registry.ts'

/**
 * Opens the outbox of a run, which emits an event for each commit.
 *
 * @param command command of the run; in a rollback, nobody gets a new password
 */
export function openWatchedOutbox(run: RunContext, command: StoredCommand): Outbox {
  const { database, environment, integrationId } = run
  const watched: Database = {
    ...database,
    transaction: (work) =>
      database.transaction(async (transaction) => {
        const result = await work(transaction)
        run.at('outbox written')
        return result
      }),
  }
  const outbox = openOutbox(
    watched,
    {
      ...run,
      openId: idOpenerOf(run, integrationId),
      maxRejectedShare: run.integration.removals.maxShare,
    },
    command === 'rollback' ? NO_PASSWORDS : passwordsOf(run, run.integration),
    () => timestamp(environment),
  )
  return {
    ...outbox,
    async nextBatch(...asked) {
      const batch = await outbox.nextBatch(...asked)
      if (batch === null) return null
      run.at('batch stored')
      run.emit({ type: 'batch sent', ...sent(batch) })
      return batch
    },
    async record(batch, results) {
      await outbox.record(batch, results)
      run.at('answer recorded')
      for (const operation of rejected(batch, results)) run.emit({ type: 'rejected', ...operation })
      run.emit({ type: 'batch answered', ...answered(batch, results) })
    },
    async refuse(batch) {
      await outbox.refuse(batch)
      run.at('answer recorded')
      run.emit({ type: 'batch answered', ...sent(batch), results: { refused: batch.operations.length } })
    },
    async acknowledgeAll() {
      await outbox.acknowledgeAll()
      run.at('answer recorded')
    },
  }
}

function sent({ number, phase, operations }: Batch): SentBatch {
  return { number, phase, operations: operations.length }
}

function answered(batch: Batch, results: readonly Result[]): AnsweredBatch {
  const counts: Record<string, number> = {}
  for (const { status } of results) counts[status] = (counts[status] ?? 0) + 1
  return { ...sent(batch), results: counts }
}

function rejected({ operations }: Batch, results: readonly Result[]): readonly Rejected[] {
  const bySeq = new Map(operations.map((operation) => [operation.seq, operation]))
  return results.flatMap(({ seq, status, code = null }) => {
    const operation = bySeq.get(seq)
    if (status !== 'failed' || operation === undefined) return []
    const { content, uniqueId } = operation
    return [{ seq, content, uniqueId: content === 'agenda' ? uniqueId : null, code }]
  })
}

const NO_PASSWORDS: Passwords = { of: async () => new Map(), forget: async () => undefined }

const RANDOM_LENGTH = 6
/** Letters and digits that people cannot confuse with each other. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyzACDEFGHJKLMNPQRTUVWXY34679'

/**
 * Returns how attendees get their first password, and the value of `storeEncryptedPassword`. The key
 * `passwords` of the integration determines how passwords are set. Only the requests that create attendees
 * contain passwords. A random password is stored encrypted until the platform has received it.
 *
 * @throws ConfigError if the password or the sealing key cannot be used
 */
export function passwordsOf(
  { config, environment, secrets }: BaseContext,
  integration: IntegrationConfig,
): Passwords {
  const mode = targetTypeOf(integration.platform).takesPasswords ? integration.passwords?.mode : 'none'
  switch (mode) {
    case undefined:
    case 'none':
      return NO_PASSWORDS
    case 'global': {
      const password = resolveGlobalPassword(integration, secrets)?.reveal()
      if (password === undefined)
        throw new ConfigError(`passwords.global of ${integration.id} is missing`, {
          todo: 'set it to env:NAME or file:PATH',
        })
      const first: FirstPassword = {
        password,
        ...(integration.passwords?.storeEncryptedPassword && { storeEncryptedPassword: true }),
      }
      return { of: async (_, ids) => new Map(ids.map((id) => [id, first])), forget: NO_PASSWORDS.forget }
    }
    case 'random': {
      const keys = resolveSealingKeys(config, secrets)
      if (keys === null)
        throw new ConfigError('sealingKey is missing; passwords.mode random needs it', {
          todo: 'set it, or set passwords.mode to global or none',
        })
      return randomPasswords(integration.id, keys, environment)
    }
  }
}

/**
 * Makes random passwords, and encrypts and stores them.
 *
 * @param keys the key for encryption, followed by former sealing keys
 */
function randomPasswords(
  integrationId: string,
  keys: readonly [Buffer, ...Buffer[]],
  environment: Environment,
): Passwords {
  function open(uniqueId: string, sealed: Uint8Array): string {
    const text = unsealWith(keys, [integrationId, uniqueId], sealed)
    if (text !== null) return text
    throw new ConfigError(
      `sealingKey cannot open the passwords that ${integrationId} sealed before; list the key that sealed them in formerSealingKeys, or set passwords.mode to global or none`,
    )
  }

  const make = () =>
    Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[environment.randomInt(ALPHABET.length)]).join('')
  const rows = (db: Kysely<Tables>, uniqueIds: readonly string[]) =>
    db
      .selectFrom('sync.passwords')
      .where('integration_id', '=', integrationId)
      .where('unique_id', 'in', [...uniqueIds])
      .select(['unique_id', 'sealed'])
      .execute()

  return {
    async of(db, uniqueIds) {
      const passwords = new Map(
        (await rows(db, uniqueIds)).map(({ unique_id, sealed }) => [unique_id, open(unique_id, sealed)]),
      )
      const without = uniqueIds.filter((uniqueId) => !passwords.has(uniqueId))
      for (const uniqueId of without) passwords.set(uniqueId, make())
      if (without.length > 0) {
        const sealed = without.map((unique_id) => ({
          integration_id: integrationId,
          unique_id,
          sealed: seal(keys[0], [integrationId, unique_id], passwords.get(unique_id) ?? '', environment),
        }))
        await db.insertInto('sync.passwords').values(sealed).execute()
      }
      return new Map([...passwords].map(([id, password]) => [id, { password, storeEncryptedPassword: true }]))
    },
    async forget(db, uniqueIds) {
      await db
        .deleteFrom('sync.passwords')
        .where('integration_id', '=', integrationId)
        .where('unique_id', 'in', [...uniqueIds])
        .execute()
    },
  }
}
