import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Passwords } from '../../loaders/platform/outbox.ts'
import type { Tables } from '../../sql/tables.ts'
import { ConfigError, type IntegrationConfig, resolveGlobalPassword, resolveSealingKey } from '../config.ts'
import type { BaseContext, Context } from '../run-context.ts'
import { targetTypeOf } from './connect.ts'

/** Length of a random password. Source: spec 5.2, 8. */
const RANDOM_LENGTH = 6
/** Letters and digits that nobody takes for another when they read a password aloud or off a screen. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyzACDEFGHJKLMNPQRTUVWXY34679'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Gives attendees their first password, as the integration's choice has it. Values stand nowhere but in the requests
 * that create attendees; random ones are kept sealed from before they are sent to when the platform has them.
 *
 * @throws ConfigError where the password or the sealing key cannot be used
 * Source: spec 5.2; spec-gaps, "Passwords".
 */
export function passwordsOf(
  { config, environment, secrets }: BaseContext,
  integration: IntegrationConfig,
): Passwords {
  const mode = targetTypeOf(integration.platform).takesPasswords ? integration.passwords?.mode : 'none'
  const nothing = async () => undefined
  switch (mode) {
    case undefined:
    case 'none':
      return { of: async () => new Map(), forget: nothing }
    case 'global': {
      const password = resolveGlobalPassword(integration, secrets)?.reveal()
      if (password === undefined) throw new ConfigError(`passwords.global of ${integration.id} is missing`)
      return { of: async (_, ids) => new Map(ids.map((id) => [id, password])), forget: nothing }
    }
    case 'random': {
      const key = resolveSealingKey(config, secrets)?.reveal()
      if (key === undefined) throw new ConfigError('sealingKey is missing; random passwords need it')
      return randomPasswords(integration.id, Buffer.from(key, 'base64'), environment)
    }
  }
}

function randomPasswords(
  integrationId: string,
  key: Uint8Array,
  { randomBytes, randomInt }: Context['environment'],
): Passwords {
  const contextOf = (uniqueId: string) => Buffer.from(JSON.stringify([integrationId, uniqueId]))

  function seal(uniqueId: string, password: string): Uint8Array {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(contextOf(uniqueId))
    const sealed = Buffer.concat([cipher.update(password, 'utf8'), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
  }

  function open(uniqueId: string, sealed: Uint8Array): string {
    const cell = Buffer.from(sealed)
    const decipher = createDecipheriv('aes-256-gcm', key, cell.subarray(0, NONCE_BYTES))
    decipher.setAAD(contextOf(uniqueId)).setAuthTag(cell.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
    try {
      const text = decipher.update(cell.subarray(NONCE_BYTES + TAG_BYTES))
      return Buffer.concat([text, decipher.final()]).toString('utf8')
    } catch (cause) {
      throw new ConfigError(
        `sealingKey: it does not open the passwords that ${integrationId} sealed before; use the key of then, or choose passwords.mode global or none`,
        { cause },
      )
    }
  }

  const make = () =>
    Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
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
          sealed: seal(unique_id, passwords.get(unique_id) ?? ''),
        }))
        await db.insertInto('sync.passwords').values(sealed).execute()
      }
      return passwords
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
