import { hash } from 'node:crypto'
import { findActions } from '../../loaders/ledger/actions.ts'
import type { Db, OperatorAction } from '../../sql/tables.ts'
import { resolvePublicKey } from '../config/signing.ts'
import { findForgettingKeys } from './keys.ts'
import { recordAction } from './record-action.ts'
import type { BaseContext } from './run-context.ts'

const ACTIONS = ['key_added', 'key_changed', 'key_removed'] as const satisfies readonly OperatorAction[]

export interface ChangedKey {
  readonly name: KeyName
  /** Fingerprint of the key in the last use for the integration; null if there was no key. */
  readonly before: string | null
  /** Fingerprint of the key that is configured; null if no key is configured. */
  readonly now: string | null
}

type KeyName = 'sealingKey' | 'audit.signingKey'

/** Logs each key that differs from the key in the last use for the integration, by its fingerprint. */
export async function recordChangedKeys(
  transaction: Db,
  context: BaseContext,
  integrationId: string,
): Promise<void> {
  for (const { name, before, now } of await findChangedKeys(transaction, context, integrationId)) {
    const action = before === null ? 'key_added' : now === null ? 'key_removed' : 'key_changed'
    const detail = now === null ? name : `${name} ${now}`
    await recordAction(transaction, context, integrationId, action, { detail })
  }
}

/** Finds the keys that differ from the keys in the last use for the integration. */
export async function findChangedKeys(
  db: Db,
  context: BaseContext,
  integrationId: string,
): Promise<readonly ChangedKey[]> {
  const recorded = await findActions(db, { integrationId, actions: ACTIONS })
  return fingerprintsOf(context, integrationId).flatMap(([name, now]) => {
    const last = recorded.map(({ detail }) => detail?.split(' ') ?? []).find(([of]) => of === name)
    const before = last?.[1] ?? null
    return before === now ? [] : [{ name, before, now }]
  })
}

/**
 * Returns the fingerprint of each key, or null if the key is not configured. The fingerprint of `sealingKey`
 * is `keyCheck` in suppressions.json. The fingerprint of `audit.signingKey` is the SHA-256 of its public key
 * in DER.
 */
function fingerprintsOf(
  context: BaseContext,
  integrationId: string,
): readonly (readonly [KeyName, string | null])[] {
  const check = findForgettingKeys(context, integrationId)?.check
  const publicKey = resolvePublicKey(context.config, context.secrets)
  return [
    ['sealingKey', check === undefined ? null : Buffer.from(check).toString('hex')],
    [
      'audit.signingKey',
      publicKey === null ? null : hash('sha256', publicKey.export({ type: 'spki', format: 'der' })),
    ],
  ]
}
