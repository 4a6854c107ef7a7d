import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { demoQuery } from '../../sql/statements.ts'
import { ConfigError } from '../config.ts'
import { changeSampleEvent, makeSampleEvent, sampleChange } from '../demo/sample-event.ts'
import { sampleSourceADefaults, startSampleSourceA } from '../demo/sample-source-a.ts'
import { sampleSourceBDefaults, startSampleSourceB } from '../demo/sample-source-b.ts'
import { silentProgress } from '../progress.ts'
import { READING_ORDER, type RunReport } from '../report.ts'
import { runIntegration } from '../run.ts'
import type { Context } from '../run-context.ts'
import { withContext } from './session.ts'
import { toTable } from './table.ts'

/** Marks a folder that the demo made and may therefore make anew. */
const MARKER = '.made-by-event-sync-demo'

/** Secrets of the sample source, as a real configuration would have them in the environment. */
const VARIABLES = {
  SOURCE_B_API_KEY: sampleSourceBDefaults.apiKey,
  SOURCE_B_AUTHENTICATION_SECRET: sampleSourceBDefaults.authenticationSecret,
}

/** `event-sync demo`: sample sources on loopback, synced into the embedded database, three times. */
export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('sync an invented event from sample sources A and B on this machine; needs nothing')
    .option('--folder <folder>', 'where configuration, database and packs go; made anew', './event-sync-demo')
    .action(async ({ folder }: { readonly folder: string }) => demo(resolve(folder), folder))
}

async function demo(folder: string, shownFolder: string): Promise<void> {
  prepareFolder(folder)
  const event = makeSampleEvent()
  const a = await startSampleSourceA(event.a)
  const b = await startSampleSourceB(event.b)
  try {
    const config = join(folder, 'event-sync.yaml')
    writeFileSync(config, configText(a.url, b.url, event.timeZone))
    const say = (text: string) => process.stdout.write(text)
    await withContext(
      { config },
      async (context) => {
        say(`Two sample sources hold the same invented event: Source A at ${a.url}, Source B at ${b.url}.\n`)
        say('\nFirst sync: everything is new.\n\n')
        say(describe(await syncAll(context)))

        const changed = changeSampleEvent(event)
        a.setData(changed.a)
        b.setData(changed.b)
        say(`\nA day later at the sources:\n${sampleChange.text.map((line) => `  - ${line}`).join('\n')}\n`)
        say('\nSecond sync: only what changed.\n\n')
        const second = await syncAll(context)
        say(describe(second))

        say('\nThird sync: nothing has changed, so nothing is sent.\n\n')
        say(describe(await syncAll(context)))
        say(afterword(shownFolder, second))
      },
      VARIABLES,
      silentProgress,
    )
  } finally {
    await Promise.all([a.close(), b.close()])
  }
}

function prepareFolder(folder: string): void {
  if (existsSync(folder) && !existsSync(join(folder, MARKER))) {
    throw new ConfigError(`${folder} is there and was not made by the demo; give another with --folder`)
  }
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, MARKER), '')
}

function configText(urlOfA: string, urlOfB: string, timeZone: string): string {
  return `# Written by event-sync demo. The sample sources run only while the demo does.
integrations:
  - id: sample-a
    source:
      type: a
      url: ${urlOfA}
      eventId: "${sampleSourceADefaults.eventId}"
      timeZone: ${timeZone}
    platform: {type: jsonl}
    guards: {maxQuarantined: 1}   # one record of the sample has neither id nor e-mail address
  - id: sample-b
    source:
      type: b
      url: ${urlOfB}
      eventId: "${sampleSourceBDefaults.eventId}"
      apiKey: env:SOURCE_B_API_KEY
      authenticationSecret: env:SOURCE_B_AUTHENTICATION_SECRET
      timeZone: ${timeZone}
    platform: {type: jsonl}
`
}

async function syncAll(context: Context): Promise<readonly RunReport[]> {
  const reports: RunReport[] = []
  for (const integration of context.config.integrations) {
    reports.push(
      ...(await runIntegration(context, integration, {
        command: 'run',
        rebind: false,
        fresh: false,
        refresh: false,
      })),
    )
  }
  const failed = reports.find(({ status }) => status !== 'finished')
  if (failed !== undefined) throw new Error(`${failed.integration}: ${failed.error ?? failed.status}`)
  return reports
}

function describe(reports: readonly RunReport[]): string {
  const rows = reports.flatMap(({ integration, changes }) =>
    READING_ORDER.map((content) => {
      const { create, update, remove, unchanged } = changes[content]
      return [integration, content, create, update, remove, unchanged]
    }),
  )
  const excluded = reports.map(({ integration, excluded: reasons, quarantined }) => {
    const list = Object.entries(reasons).map(
      ([reason, count]) => `    ${String(count).padStart(5)}  ${reason}`,
    )
    if (quarantined > 0) list.push(`    ${String(quarantined).padStart(5)}  quarantined: could not be read`)
    return `\n  ${integration}: left out, and why\n${list.join('\n')}\n`
  })
  const isFirst = reports.some(({ changes }) => changes.agenda.create > 1)
  const table = toTable(['integration', 'content', 'create', 'update', 'remove', 'unchanged'], rows)
  return table + (isFirst ? excluded.join('') : '')
}

function afterword(folder: string, reports: readonly RunReport[]): string {
  const config = `${folder}/event-sync.yaml`
  return `
The operations for the platform and the CSV audit packs of the second sync:
${reports.map(({ output }) => `  ${output}`).join('\n')}

Try:
  npx event-sync -c ${config} runs sample-a
  npx event-sync -c ${config} sql "${demoQuery('sample-a')}"
`
}
