import { join, resolve } from 'node:path'
import { Option } from 'commander'
import { counted } from '../../transforms/texts/counted.ts'
import { withoutSending } from '../observe/emit.ts'
import { exportRun } from '../packs/export.ts'
import { EXPORT_FORMATS, type Exported, type ExportFormat, exportFiles } from '../packs/export-files.ts'
import { audit } from '../run/audit.ts'
import { finishInterrupted, withLock } from '../run/recorded-run.ts'
import { UserError } from '../settings/errors.ts'
import { integrationOf, RUN, requireRun, requireRunId } from './arguments.ts'
import { type Call, defineCommand } from './define-command.ts'
import { endOfReports, printReports } from './print-report.ts'

const HELP = `
The pack is first written to a folder next to its place, and moved there if its manifest has the SHA-256 in the database.
A run whose plan was applied but whose pack was not written, for example because the disk was full, is finished.
Nothing is written while another process holds the integration (exit code 5).

With --format, the pack does not change, and its rows are written for other tools, into <output>/exports/<run> or into the folder of -o:
  parquet   a file for each CSV file of the pack; times in UTC, lists as lists
  xlsx      a workbook with a sheet for each CSV file; times in UTC as dates, ids as text
  raw-csv   the CSV files without the guard against formulas: for programs, not for spreadsheets
  ics       the agenda as a calendar, without people

Examples:
  event-sync export 01985c7e-0000-7000-8000-000000000001          where its pack is missing or was altered
  event-sync export 01985c7e-0000-7000-8000-000000000001 --json   for machines: the folder of the pack
  event-sync export 01985c7e-0000-7000-8000-000000000001 --format parquet
  event-sync export 01985c7e-0000-7000-8000-000000000001 --format xlsx --masked -o to-forward`

interface ExportCommandOptions {
  readonly format?: ExportFormat
  readonly output?: string
  readonly masked?: boolean
}

export const addExportCommand = defineCommand({
  name: 'export',
  summary: "write a run's audit pack again, byte for byte, or its rows for other tools",
  help: HELP,
  args: [RUN],
  options: [
    new Option('--format <format>', 'write the rows of the pack for other tools').choices(EXPORT_FORMATS),
    new Option('-o, --output <dir>', 'with --format: folder for the files; none of them is overwritten'),
    new Option('--masked', 'with --format: leave out values of people, as audit.personalData: masked does'),
  ],
  async run({ io, global, options, open }: Call<ExportCommandOptions>, text: string) {
    requireRunId(text)
    const { format, output, masked: isMasked = false } = options
    if (format === undefined && (output !== undefined || isMasked))
      throw new UserError(
        'usage',
        `${isMasked ? '--masked' : '-o'} is only for files in another format`,
        `give --format with one of: ${EXPORT_FORMATS.join(', ')}`,
      )
    return open(async (context) => {
      const record = await requireRun(context.database.kysely, text)
      const runId = record.run_id
      if (format !== undefined) {
        const folder = output === undefined ? null : resolve(io.cwd, output)
        const exported = await withoutSending(exportFiles(context, record, { format, isMasked, folder }))
        return { text: describeExported(exported), json: toExportJson(runId, format, exported) }
      }
      if (record.status === 'applied') {
        const integration = integrationOf(context.config, record.integration_id)
        const reports = await withLock(context, integration, 'apply', (locked) =>
          finishInterrupted(locked, integration, (run) => run.step('audit', () => audit(run, true))),
        )
        printReports(io, reports, global)
        return endOfReports(context, reports)
      }
      const folder = await exportRun(context, record)
      return { json: { run: runId, output: folder }, text: `${folder}\n` }
    })
  },
})

function toExportJson(run: string, format: ExportFormat, { folder, personalData, files }: Exported) {
  return { run, format, personalData, output: folder, files }
}

function describeExported({ folder, personalData, files }: Exported): string {
  const lines = files.map(({ name, rows, cut }) => {
    const what = name.endsWith('.ics') ? 'session' : 'row'
    const ofCut = cut === 0 ? '' : `; ${counted(cut, 'text')} cut, because a cell of Excel cannot hold more`
    return `${join(folder, name)}  ${counted(rows, what)}${ofCut}\n`
  })
  return `${lines.join('')}${personalData === 'masked' ? 'values of people are masked\n' : ''}`
}
