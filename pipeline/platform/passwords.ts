import type { Kysely } from 'kysely'
import type { Passwords } from '../../loaders/platform/outbox.ts'
import type { Tables } from '../../sql/tables.ts'
import {
  ConfigError,
  type IntegrationConfig,
  resolveGlobalPassword,
  resolveSealingKey,
} from '../config/config.ts'
import type { BaseContext } from '../context/run-context.ts'
import { seal, unseal } from '../privacy/seal.ts'
import type { Environment } from '../runtime/environment.ts'
import { targetTypeOf } from './connect.ts'

const RANDOM_LENGTH = 6
/** Letters and digits that are not mistaken for one another. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyzACDEFGHJKLMNPQRTUVWXY34679'

/**
 * Gives attendees their first password, as `passwords` of the integration says. Passwords are nowhere but in the requests that create
 * attendees; random ones are kept, sealed, from before they are sent until the platform has them.
 *
 * @throws ConfigError where the password or the sealing key cannot be used
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

function randomPasswords(integrationId: string, key: Uint8Array, environment: Environment): Passwords {
  function open(uniqueId: string, sealed: Uint8Array): string {
    try {
      return unseal(key, [integrationId, uniqueId], sealed)
    } catch (cause) {
      throw new ConfigError(
        `sealingKey: it does not open the passwords that ${integrationId} sealed before; use the key that sealed them, or choose passwords.mode global or none`,
        { cause },
      )
    }
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
          sealed: seal(key, [integrationId, unique_id], passwords.get(unique_id) ?? '', environment),
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
