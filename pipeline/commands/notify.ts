import { Option } from 'commander'
import { testReceivers } from '../observe/test-receivers.ts'
import { EXIT } from '../runtime/report.ts'
import type { TestedReceiver } from '../schemas/setup.ts'
import { UserError } from '../settings/errors.ts'
import { defineCommand } from './define-command.ts'
import { toTable } from './io.ts'
import type { Why } from './quiet.ts'
import { openConfig } from './session.ts'

const HELP = `
Receivers are the webhooks and the mail of event-sync.yaml. Exit code 1 if at least one did not accept the message.
Runs send messages by themselves; this command needs no database and stores nothing.

Examples:
  event-sync notify --test
  event-sync notify --test --json     {"receivers":[{"receiver","address","accepted","reason"}]}`

export const addNotifyCommand = defineCommand({
  name: 'notify',
  summary: 'send a test message to every receiver of messages',
  help: HELP,
  exits: ['failed', 'usage'],
  options: [
    new Option(
      '--test',
      'send a test message now, and say of each receiver if it accepted it',
    ).makeOptionMandatory(),
  ],
  async run({ global, io }) {
    const receivers = await testReceivers(await openConfig(global, io))
    if (receivers.length === 0)
      throw new UserError(
        'configuration',
        `${global.config} has no receiver of messages`,
        'add `webhook` or `mail`; `event-sync help config` describes them',
      )
    const code = receivers.every(({ accepted }) => accepted) ? EXIT.ok : EXIT.failed
    return { text: describe(receivers), json: { receivers }, code, why: whyOf(receivers) }
  },
})

/** Returns which receivers did not accept the test message; null if all receivers accepted it. */
function whyOf(receivers: readonly TestedReceiver[]): Why | null {
  const refusals = receivers.flatMap(({ receiver, address, reason }) =>
    reason === null ? [] : [`${receiver} ${address}: not accepted: ${reason}`],
  )
  if (refusals.length === 0) return null
  return { what: refusals.join('; '), next: 'correct it, and run `event-sync notify --test` again' }
}

function describe(receivers: readonly TestedReceiver[]): string {
  const rows = receivers.map(({ receiver, address, reason }) => [
    receiver,
    address,
    reason === null ? 'accepted' : `not accepted: ${reason}`,
  ])
  return toTable(['receiver', 'address', 'test message'], rows)
}
