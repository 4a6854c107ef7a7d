import { findFoldersDue } from '../../loaders/ledger/former-ids.ts'
import { type Context, whileLocked } from '../context/run-context.ts'
import { messageOf } from '../runtime/message-of.ts'

/**
 * Finishes each `rename` that was killed before it renamed the folder of the packs. If a folder cannot be
 * renamed now, the command continues. The next command that works on the integration reports the reason.
 */
export async function finishRenames(context: Context): Promise<void> {
  for (const id of await findFoldersDue(context.database.kysely)) {
    // If the result is null, another process holds the lock of the integration, and renames the folder
    // itself.
    await whileLocked(context, id, async () => true).catch((error: unknown) =>
      context.events.emit(id, {
        type: 'delivery failed',
        to: 'the folder of its packs',
        cause: messageOf(error),
      }),
    )
  }
}
