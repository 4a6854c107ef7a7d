import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Option } from 'commander'
import { CONTENTS } from '../../sql/tables.ts'
import type { Context } from '../context/run-context.ts'
import { changedSampleEvent, sampleChange, sampleEvent } from '../demo/sample-event.ts'
import { samplePlatformAccess, startSamplePlatform } from '../demo/sample-platform.ts'
import { sampleSourceAccess, startSampleSourceA, startSampleSourceB } from '../demo/sample-sources.ts'
import { runIntegration } from '../run/run.ts'
import { silent } from '../runtime/events.ts'
import { EXIT, type RunReport } from '../runtime/report.ts'
import { shellWord } from '../runtime/shell-word.ts'
import { isRunning } from '../runtime/starter.ts'
import { UserError } from '../settings/errors.ts'
import { type Call, defineCommand } from './define-command.ts'
import { type CommandIo, toTable } from './io.ts'
import { namingConfig } from './naming-config.ts'
import { describeReport } from './print-report.ts'
import { withContext } from './session.ts'

/**
 * Name of a file that the demo puts into the folder that it creates. The demo replaces only a folder with
 * this file. While the demo runs, the file has the id of its process.
 */
const MARKER = '.made-by-event-sync-demo'

/** Secrets of the sample servers. A real configuration would read its secrets from the environment. */
const VARIABLES = {
  EVENT_SYNC_KEY: Buffer.from('a sample key; it protects no one').toString('base64'),
  SOURCE_B_API_KEY: sampleSourceAccess.b.apiKey,
  SOURCE_B_AUTHENTICATION_SECRET: sampleSourceAccess.b.authenticationSecret,
  PLATFORM_TOKEN: samplePlatformAccess.token,
}

const HELP = `
An existing folder that the demo did not make is refused, and so is the folder of a demo that still runs.

Examples:
  event-sync demo
  event-sync demo --folder /tmp/trial
  event-sync demo --serve`

export const addDemoCommand = defineCommand({
  name: 'demo',
  summary: 'sync an invented event from sample sources to a sample platform on this machine; needs nothing',
  help: HELP,
  exits: ['failed', 'usage'],
  options: [
    new Option('--folder <folder>', 'where configuration, database and packs go; replaced').default(
      './event-sync-demo',
    ),
    new Option('--serve', 'let the samples run on until it is stopped, to try other commands on them'),
  ],
  run: ({ io, options }: Call<{ readonly folder: string; readonly serve?: boolean }>) =>
    demo(io, options.folder, options.serve ?? false),
})

async function demo(io: CommandIo, shownFolder: string, isServed: boolean): Promise<number> {
  const folder = resolve(io.cwd, shownFolder)
  prepareFolder(folder)
  let event = sampleEvent
  const a = await startSampleSourceA(() => event.a)
  const b = await startSampleSourceB(() => event.b)
  const platform = await startSamplePlatform()
  try {
    const config = join(folder, 'event-sync.yaml')
    writeFileSync(config, configText(a.url, b.url, platform.url, sampleEvent.timeZone))
    const say = (text: string) => io.stdout.write(text)
    await withContext(
      { config },
      // A copy by `...io` would lose the streams, which are getters.
      Object.create(io, { env: { value: VARIABLES } }),
      async (context) => {
        say(`Two sample sources hold the same invented event: Source A at ${a.url}, Source B at ${b.url}.
A sample platform at ${platform.url} takes what comes from B; what comes from A goes into files.

First sync: everything is new.\n\n`)
        say(describe(await syncAll(context)))

        event = changedSampleEvent
        say(`\nA day later at the sources:\n${sampleChange.map((line) => `  - ${line}`).join('\n')}\n`)
        say('\nSecond sync: only what changed.\n\n')
        const second = await syncAll(context)
        say(describe(second))

        say('\nThird sync: nothing has changed, so nothing is sent.\n\n')
        say(describe(await syncAll(context)))

        const { registrants } = changedSampleEvent.b
        const half = registrants.filter((_, index) => index % 2 === 0)
        event = { ...event, b: { ...event.b, registrants: half } }
        say('\nThen Source B answers as if half of its people had never been there.\n')
        say('\nFourth sync: it is refused.\n\n')
        say(namingConfig(await refusal(context), configOf(shownFolder)))
        if (!isServed) say('`apply` is for a platform that keeps running: this one ends with the demo.\n')
        say(afterword(shownFolder, second))
        event = changedSampleEvent
      },
      { events: silent },
    )
    if (!isServed) return EXIT.ok
    say(invitation(shownFolder))
    return await new Promise<number>((end) => {
      io.signals.onFirst(end)
      // If npx is killed, nothing tells its child.
      io.signals.onOrphaned(() => end(EXIT.ok))
    })
  } finally {
    await Promise.all([a.close(), b.close(), platform.close()])
    // The user may have deleted the folder in the meantime.
    if (existsSync(join(folder, MARKER))) writeFileSync(join(folder, MARKER), '')
  }
}

/** Returns the path of the configuration in the demo's folder, as the user gave the folder. */
const configOf = (folder: string) => `${folder}/event-sync.yaml`

function prepareFolder(folder: string): void {
  if (existsSync(folder) && !existsSync(join(folder, MARKER))) {
    throw new UserError(
      'file',
      `${folder} exists and was not made by the demo`,
      'choose another with --folder',
    )
  }
  const other = existsSync(folder) ? Number(readFileSync(join(folder, MARKER), 'utf8')) : 0
  // A container may give this process the id of a process that was killed.
  if (other > 0 && other !== process.pid && isRunning(other)) {
    throw new UserError(
      'file',
      `a demo that still runs uses ${folder} (process ${other})`,
      'stop it with Ctrl-C in its terminal, or choose another folder with --folder',
    )
  }
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, MARKER), String(process.pid))
}

function configText(urlOfA: string, urlOfB: string, urlOfPlatform: string, timeZone: string): string {
  return `# Written by event-sync demo. The samples run only while the demo does: \`event-sync demo --serve\`.
sealingKey: env:EVENT_SYNC_KEY
integrations:
  - id: sample-a
    name: Harbour Days 2031
    source:
      type: a
      url: ${urlOfA}
      eventId: "${sampleSourceAccess.a.eventId}"
      timeZone: ${timeZone}
    platform: {type: jsonl}
    guards: {maxQuarantined: 1}   # one record of the sample has neither id nor e-mail address
  - id: sample-b
    name: Harbour Days 2031, second source
    source:
      type: b
      url: ${urlOfB}
      eventId: "${sampleSourceAccess.b.eventId}"
      apiKey: env:SOURCE_B_API_KEY
      authenticationSecret: env:SOURCE_B_AUTHENTICATION_SECRET
      timeZone: ${timeZone}
    platform:
      type: http
      url: ${urlOfPlatform}
      eventId: ${samplePlatformAccess.eventId}
      token: env:PLATFORM_TOKEN
    passwords: {mode: none}
`
}

async function syncAll(context: Context): Promise<readonly RunReport[]> {
  const reports: RunReport[] = []
  for (const integration of context.config.integrations) {
    reports.push(...(await runIntegration(context, integration, { command: 'run' })))
  }
  const failed = reports.find(({ status }) => status !== 'finished')
  if (failed !== undefined) throw new Error(`${failed.integration}: ${failed.error ?? failed.status}`)
  return reports
}

/** Syncs from Source B, whose plan is held, and returns the report with the reason. */
async function refusal(context: Context): Promise<string> {
  const integration = context.config.integrations.find(({ source }) => source.type === 'b')
  if (integration === undefined) throw new Error('the demo has no integration')
  const [report] = await runIntegration(context, integration, { command: 'run' })
  if (report?.status !== 'held') throw new Error(`the wipe-out was not held: ${report?.status}`)
  return describeReport(report)
}

function describe(reports: readonly RunReport[]): string {
  const columns = ['create', 'update', 'remove', 'unchanged'] as const
  const rows = reports.flatMap(({ integration, changes }) =>
    CONTENTS.map((content) => [integration, content, ...columns.map((key) => changes[content][key])]),
  )
  const excluded = reports.map(({ integration, excluded: reasons, quarantined }) => {
    const all = { ...reasons, ...(quarantined > 0 && { 'quarantined: could not be read': quarantined }) }
    const list = Object.entries(all).map(([reason, count]) => `    ${String(count).padStart(5)}  ${reason}`)
    return `\n  ${integration}: left out, and why\n${list.join('\n')}\n`
  })
  const isFirst = reports.some(({ changes }) => changes.agenda.create > 1)
  const table = toTable(['integration', 'content', ...columns], rows)
  return table + (isFirst ? excluded.join('') : '')
}

function invitation(folder: string): string {
  const variables = Object.entries(VARIABLES).map(([name, value]) => `  export ${name}='${value}'`)
  return `
The samples run on until you stop this, with Ctrl-C. In another terminal, in this folder:
${variables.join('\n')}
  npx --no-install ${namingConfig('event-sync plan', configOf(folder))}
`
}

function afterword(folder: string, reports: readonly RunReport[]): string {
  const named = (command: string) => `npx --no-install ${namingConfig(command, configOf(folder))}`
  const query =
    "select local_start, location, name from published.agenda where integration_id = 'sample-a' order by start_time, name limit 5"
  return `
The audit packs of the second sync, the operations of Source A beside them; report.html is for people:
${reports.map(({ output }) => `  ${output}`).join('\n')}

Try:
  ${named('event-sync runs sample-a')}
  ${named(`event-sync verify ${shellWord(`${folder}/out/sample-a`)}`)}
  ${named(`event-sync sql "${query}"`)}
`
}
