import { OtherBindingError, requireBindable } from '../../loaders/ledger/binding.ts'
import type { IntegrationConfig } from '../config/config.ts'
import type { Context } from '../context/run-context.ts'
import { BehindError } from '../settings/errors.ts'
import { lookBehind } from './behind.ts'
import { bindingOf } from './recorded-run.ts'

export type Refusal = Pick<BehindError | OtherBindingError, 'what' | 'todo' | 'next'>

/**
 * Finds why `run` would refuse to continue from the ledger: another integration writes to the platform event,
 * or the database is older than its packs or its platform. Changes nothing.
 *
 * @param asksFence true if the platform is asked for its state
 * @returns null if `run` would not refuse
 */
export async function findRefusal(
  context: Context,
  integration: IntegrationConfig,
  asksFence: boolean,
): Promise<OtherBindingError | BehindError | null> {
  try {
    const binding = bindingOf(integration)
    const bindable = await requireBindable(context.database.kysely, integration.id, binding, false)
    await lookBehind(context, integration, {}, asksFence && !bindable.takesPlatformEvent)
    return null
  } catch (error) {
    if (error instanceof OtherBindingError || error instanceof BehindError) return error
    throw error
  }
}
