import { Option } from 'commander'
import { findFormerIds } from '../../loaders/ledger/former-ids.ts'
import { findRun } from '../../loaders/ledger/ledger.ts'
import { counted } from '../../transforms/texts/counted.ts'
import { withAnd } from '../../transforms/texts/with-and.ts'
import { requireCurrentId } from '../context/current-id.ts'
import { packsFolder } from '../context/pack-folder.ts'
import type { Context } from '../context/run-context.ts'
import { withoutSending } from '../observe/emit.ts'
import { endEvent, scrubEnded } from '../people/end-event.ts'
import { EXIT } from '../runtime/report.ts'
import type { Ended } from '../schemas/people.ts'
import { UserError } from '../settings/errors.ts'
import { ID, integrationOf } from './arguments.ts'
import { type Call, defineCommand } from './define-command.ts'
import { askForText, canAsk } from './dialogue.ts'

const HELP = `
The platform keeps what it has: erase sends nothing. Of the packs, manifests and signatures stay, by which the chain can still be verified, and
suppressions.json, which keeps people out if the event comes back. The integration need not be in the configuration any more. It can be
interrupted at any moment, and run again.

Examples:
  event-sync erase summit                     asks for the id once more
  event-sync erase summit --confirm summit    where nobody can be asked`

export const addEraseCommand = defineCommand({
  name: 'erase',
  summary: 'end an event: erase all that is known of it, from database, packs and queue',
  help: HELP,
  args: [ID],
  options: [new Option('--confirm <id>', 'the same id, in place of the question')],
  async run({ options, io, global, open }: Call<{ readonly confirm?: string }>, id: string) {
    return open(async (context) => {
      const what = await describeKnown(context, id)
      await requireConfirmed()
      const formerIds = (await findFormerIds(context.database.kysely, id)).map(({ formerId }) => formerId)
      const ended = await withoutSending(endEvent(context, id))
      if (ended === null) {
        const error = `${id} is locked by another process; wait until it ends`
        return { text: '', json: { error }, hint: `${error}\n`, code: EXIT.locked }
      }
      const scrubbed = await scrubEnded(context, id)
      const configured = [id, ...formerIds].find((one) =>
        context.config.integrations.some((of) => of.id === one),
      )
      const json = { ...ended, left: scrubbed.left }
      return { text: describe(ended, context, configured, scrubbed.done), json, alsoText: true }

      async function requireConfirmed(): Promise<void> {
        if (options.confirm === id) return
        if (options.confirm !== undefined)
          throw new UserError('usage', `--confirm ${options.confirm} is not ${id}`, 'nothing was erased')
        if (!canAsk(io, global))
          throw new UserError(
            'usage',
            `${what} would be erased for good`,
            `to do so: \`event-sync erase ${id} --confirm ${id}\`; nothing was erased`,
          )
        const answer = await askForText(io, `${what} will be erased for good. To go on, type its id.`)
        if (answer !== id) throw new UserError('usage', `"${answer}" is not ${id}`, 'nothing was erased')
      }
    })
  },
})

/**
 * Describes which data of an integration will be erased.
 *
 * @throws UserError if the integration is neither in the database nor in the configuration
 */
async function describeKnown(context: Context, id: string): Promise<string> {
  const { config, database } = context
  const last = await findRun(database.kysely, { integrationId: id })
  if (last === undefined) await requireCurrentId(database.kysely, context, integrationOf(config, id))
  const sending = last?.status === 'applying' ? ', whose last run is not finished' : ''
  return `all that is known of ${id}${sending}`
}

function describe(
  { integration, rows, packs, keptFor }: Ended,
  context: Context,
  configured: string | undefined,
  scrubbed: string,
): string {
  const count = Object.values(rows).reduce((sum, one) => sum + one, 0)
  return [
    `${integration}: erased`,
    `  database  ${counted(count, 'row')}; ${scrubbed}`,
    `  packs     ${packs.length}; manifests, signatures and suppressions.json stay in ${packsFolder(context, integration)}`,
    ...(keptFor.length === 0 ? [] : [`  kept out  whom it kept out, ${withAnd(keptFor)} still keeps out`]),
    ...(configured === undefined ? [] : [`  to do     take ${configured} out of the configuration`]),
    '',
  ].join('\n')
}
