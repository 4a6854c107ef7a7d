import { hash } from 'node:crypto'
import { findActions } from '../../loaders/ledger/actions.ts'
import type { Db } from '../../sql/tables.ts'
import { resolvePublicKey } from '../config/signing.ts'
import { findForgettingKeys } from './keys.ts'
import { recordAction } from './record-action.ts'
import type { BaseContext } from './run-context.ts'

/**
 * Logs each key that differs from the key in the last use for the integration. The log contains the
 * fingerprint of the key. The function also logs the first use of a key, and a key that is no longer
 * configured.
 */
export async function recordChangedKeys(
  transaction: Db,
  context: BaseContext,
  integrationId: string,
): Promise<void> {
  const recorded = await findActions(transaction, { integrationId, action: 'key_changed' })
  for (const [name, fingerprint] of fingerprintsOf(context, integrationId)) {
    const last = recorded.find(({ detail }) => detail?.startsWith(`${name} `) === true)
    const detail = `${name} ${fingerprint ?? NO_KEY}`
    if ((last?.detail ?? `${name} ${NO_KEY}`) !== detail)
      await recordAction(transaction, context, integrationId, 'key_changed', { detail })
  }
}

const NO_KEY = 'none'

/**
 * Returns the fingerprint of each key, or null if the key is not configured. The fingerprint of `sealingKey`
 * is `keyCheck` in suppressions.json. The fingerprint of `audit.signingKey` is the SHA-256 of its public key
 * in DER.
 */
function fingerprintsOf(context: BaseContext, integrationId: string): ReadonlyMap<string, string | null> {
  const check = findForgettingKeys(context, integrationId)?.check
  const publicKey = resolvePublicKey(context.config, context.secrets)
  return new Map([
    ['sealingKey', check === undefined ? null : Buffer.from(check).toString('hex')],
    [
      'audit.signingKey',
      publicKey === null ? null : hash('sha256', publicKey.export({ type: 'spki', format: 'der' })),
    ],
  ])
}
