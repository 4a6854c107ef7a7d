import type { Command } from 'commander'
import { alignSchedules, describeSchedules, type Scheduled } from '../worker/schedules.ts'
import { integrationsOf } from './arguments.ts'
import type { CommandIo } from './io.ts'
import { type GlobalOptions, withContext } from './session.ts'
import { toTable } from './table.ts'

const EXAMPLES = `
Examples:
  event-sync schedule                    bring the database in line with event-sync.yaml; show what is due when
  event-sync schedule --now              besides, make a run of every integration due at once
  event-sync schedule --now summit expo  only of these two, as after fixing what made them fail
  event-sync --json schedule             the same for programs
`

export function addScheduleCommand(program: Command, io: CommandIo): void {
  program
    .command('schedule')
    .description('brings the schedules in the database in line with the configuration, and shows them')
    .option('--now [id...]', 'make runs of these integrations due now; without ids: of all')
    .addHelpText('after', EXAMPLES)
    .action(async ({ now }: { readonly now?: true | readonly string[] }) => {
      const global = program.opts<GlobalOptions>()
      await withContext(global, io, async (context) => {
        const chosen = now === undefined ? [] : integrationsOf(context.config, now === true ? [] : now)
        const called = chosen.map(({ id }) => id)
        const { openQueue } = await import('../database/queue.ts')
        const troubles: Error[] = []
        const queue = await openQueue(context.database, false, (error) => troubles.push(error))
        try {
          const removed = await alignSchedules(context, queue)
          for (const id of called) await queue.call(id)
          const schedules = await describeSchedules(context, queue)
          if (global.json) {
            io.stdout.write(`${JSON.stringify({ schedules, removed, called })}\n`)
          } else {
            io.stdout.write(tableOf(schedules))
            if (removed.length > 0) io.stdout.write(`\nno longer scheduled: ${removed.join(', ')}\n`)
            if (called.length > 0) io.stdout.write(`\ndue now: ${called.join(', ')}\n`)
          }
        } finally {
          await queue.close()
        }
        if (troubles[0] !== undefined) throw troubles[0]
      })
    })
}

function tableOf(schedules: readonly Scheduled[]): string {
  const columns = ['integration', 'cron', 'time zone', 'next there', 'next in UTC', 'last run', 'given up']
  const toSecond = (time: string) => `${time.slice(0, 19)}Z`
  const rows = schedules.map(({ integration, cron, timeZone, next, nextLocal, lastRun, givenUp }) => [
    integration,
    cron ?? 'only by hand',
    timeZone ?? '',
    nextLocal ?? '',
    next === null ? '' : toSecond(next),
    lastRun === null ? 'never' : `${lastRun.status}, ${toSecond(lastRun.startedAt)}`,
    givenUp === null
      ? ''
      : `${toSecond(givenUp.at)} after ${givenUp.tries} tries: ${givenUp.error.split('\n', 1)}`,
  ])
  return toTable(columns, rows)
}
