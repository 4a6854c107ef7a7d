import type { Command } from 'commander'
import { alignSchedules, describeSchedules, type Scheduled } from '../unattended/schedules.ts'
import { integrationOf } from './run.ts'
import { type GlobalOptions, withContext } from './session.ts'
import { toTable } from './table.ts'

const EXAMPLES = `
Examples:
  event-sync schedule                    bring the database in line with event-sync.yaml; show what is due when
  event-sync schedule --now              besides, make it every integration's turn at once
  event-sync schedule --now summit expo  only these two's, as after mending what made them fail
  event-sync --json schedule             the same for programs
`

/** `event-sync schedule`. */
export function addScheduleCommand(program: Command): void {
  program
    .command('schedule')
    .description('brings the schedules in the database in line with the configuration, and shows them')
    .option('--now [id...]', 'make it the turn of these integrations now; without ids: of all')
    .addHelpText('after', EXAMPLES)
    .action(async ({ now }: { readonly now?: true | readonly string[] }) => {
      const global = program.opts<GlobalOptions>()
      await withContext(global, async (context) => {
        const { config } = context
        const called = now === undefined ? [] : now === true ? config.integrations.map(({ id }) => id) : now
        for (const id of called) integrationOf(config, id)
        const { openQueue } = await import('../unattended/queue.ts')
        const troubles: Error[] = []
        const queue = await openQueue(context.database, false, (error) => troubles.push(error))
        try {
          const removed = await alignSchedules(context, queue)
          for (const id of called) await queue.call(id)
          const schedules = await describeSchedules(context, queue)
          if (global.json) {
            process.stdout.write(`${JSON.stringify({ schedules, removed, called })}\n`)
          } else {
            process.stdout.write(tableOf(schedules))
            if (removed.length > 0) process.stdout.write(`\nno longer scheduled: ${removed.join(', ')}\n`)
            if (called.length > 0) process.stdout.write(`\ndue now: ${called.join(', ')}\n`)
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
  return toTable(
    columns,
    schedules.map(({ integration, cron, timeZone, next, nextLocal, lastRun, givenUp }) => [
      integration,
      cron ?? 'only by hand',
      timeZone ?? '',
      nextLocal ?? '',
      next?.slice(0, 19).concat('Z') ?? '',
      lastRun === null ? 'never' : `${lastRun.status}, ${lastRun.startedAt.slice(0, 19)}Z`,
      givenUp === null
        ? ''
        : `${givenUp.at.slice(0, 19)}Z after ${givenUp.tries} tries: ${firstLine(givenUp.error)}`,
    ]),
  )
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
