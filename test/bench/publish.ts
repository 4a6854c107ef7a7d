import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { productVersion } from '../../pipeline/runtime/package-root.ts'
import { markdownTable } from '../sql/page/markdown.ts'
import type { Measurement } from './measurement.ts'
import { PEERS, versionsOf } from './peers.ts'
import type { Circumstances } from './results.ts'
import { show } from './tables.ts'

const FILE = join(import.meta.dirname, './README.md')
const CHART = 'figures.svg'
const SECTION = /(?<=<!-- figures -->\n)[\s\S]*?(?=<!-- end of figures -->)/

/** The costs of all programs for one step, in CPU seconds. */
interface Step {
  readonly what: string
  readonly costs: readonly { readonly name: string; readonly seconds: number; readonly ofServer: number }[]
}

/** Writes the medians of the comparison with peers into `README.md`, and draws the chart of this page. */
export function publish(where: Circumstances, rounds: number, measurements: readonly Measurement[]): void {
  const beside = measurements.filter(({ table }) => table === 'run beside peers')
  const page = readFileSync(FILE, 'utf8')
  if (beside.length === 0 || !SECTION.test(page))
    throw new Error(`--publish needs --only peers, and the section of figures in ${FILE}`)
  const steps = beside.map(stepOf)
  const registrants = beside[0]?.registrants ?? 0
  writeFileSync(
    FILE,
    page.replace(SECTION, () => `${sectionOf(where, rounds, registrants, steps)}\n`),
  )
  writeFileSync(join(import.meta.dirname, CHART), chartOf(steps))
}

/** Reads the costs of all programs from a measurement. */
function stepOf({ what, values }: Measurement): Step {
  const names = Object.keys(values).flatMap((key) => /^(.*)CommandCpuSeconds$/.exec(key)?.[1] ?? [])
  const costs = names.map((name) => {
    const ofServer = values[`${name}ServerCpuSeconds`] ?? Number.NaN
    return { name, seconds: (values[`${name}CommandCpuSeconds`] ?? Number.NaN) + ofServer, ofServer }
  })
  return { what, costs }
}

function sectionOf(
  { date, machine }: Circumstances,
  rounds: number,
  registrants: number,
  steps: readonly Step[],
): string {
  const rows = (steps[0]?.costs ?? []).map(({ name }, index) => [
    name,
    ...steps.map(({ costs }) => `${show(costs[index]?.seconds)} (${show(costs[index]?.ofServer)})`),
  ])
  const peers = PEERS.map((peer) => {
    const versions = versionsOf(peer)
    return `- ${peer.name} ${versions === null ? 'was not installed' : `(${versions.join('; ')}) ${peer.what}`}.`
  })
  return [
    `CPU seconds of command and server together, and in parentheses of the server, for ${registrants.toLocaleString('en')} registrants and 200 sessions;`,
    `medians of ${rounds}. Measured on ${date.slice(0, 10)} with event-sync ${productVersion}, Node ${machine.node} and PostgreSQL ${machine.postgres} with default settings, on`,
    `${machine.cores} shared cores of ${machine.cpu} with ${Math.round(machine.memoryMb / 1000)} GB of memory (${machine.system}), by`,
    `\`npm run bench -- --sizes ${registrants} --rounds ${rounds} --only peers --publish\`.\n`,
    markdownTable(['', ...steps.map(({ what }) => what)], rows),
    `\n![CPU seconds of each program for each step, as bars](${CHART})\n`,
    `- event-sync ${productVersion} reads the pages of the source, keeps the history of each record, decides, plans, writes the operations and the audit pack.`,
    ...peers,
    '',
    'The other programs only copy rows.',
  ].join('\n')
}

const COLOURS = ['#1f6feb', '#8250df', '#bf8700', '#57606a']
const [WIDTH, BAR, LEFT, LONGEST] = [720, 18, 110, 540]

/** Draws a group of bars for each step, with a bar for each program. */
function chartOf(steps: readonly Step[]): string {
  const most = Math.max(...steps.flatMap(({ costs }) => costs.map(({ seconds }) => seconds)))
  let y = 10
  const lines = steps.flatMap(({ what, costs }) => {
    y += 24
    const title = `<text x="10" y="${y - 8}" font-weight="bold">${what}</text>`
    const bars = costs.map(({ name, seconds }, index) => {
      y += BAR
      const width = ((seconds / most) * LONGEST).toFixed(1)
      return [
        `<text x="${LEFT - 10}" y="${y - 5}" text-anchor="end">${name}</text>`,
        `<rect x="${LEFT}" y="${y - BAR + 2}" width="${width}" height="${BAR - 4}" fill="${COLOURS[index % COLOURS.length]}"/>`,
        `<text x="${LEFT + Number(width) + 6}" y="${y - 5}">${show(seconds)} s</text>`,
      ].join('')
    })
    return [title, ...bars]
  })
  const height = y + 12
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="12">`
  const title = '<title>CPU seconds of each program for each step</title>'
  return [
    head,
    title,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    ...lines,
    '</svg>',
    '',
  ].join('\n')
}
