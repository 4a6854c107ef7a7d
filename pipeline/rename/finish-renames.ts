import { findFoldersDue } from '../../loaders/ledger/former-ids.ts'
import { type Context, whileLocked } from '../context/run-context.ts'
import { messageOf } from '../runtime/message-of.ts'

/**
 * Renames the folders of integrations whose `rename` was killed before it did that. A folder that cannot be
 * renamed now does not stop the command; a command that works on the integration then reports the reason.
 */
export async function finishRenames(context: Context): Promise<void> {
  for (const id of await findFoldersDue(context.database.kysely)) {
    // Null means that another process holds the integration, and renames the folder.
    await whileLocked(context, id, async () => true).catch((error: unknown) =>
      context.events.emit(id, {
        type: 'delivery failed',
        to: 'the folder of its packs',
        cause: messageOf(error),
      }),
    )
  }
}
