import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { PYTHON } from '../../proofs/tools/tools.ts'
import { startScriptedSource } from './scripted-source.ts'
import { configOfA, smallEvent } from './small-event.ts'
import { makeWorkspace } from './workspace.ts'

const PACKAGES = ['pyarrow', 'pandas', 'duckdb', 'polars', 'openpyxl', 'icalendar']
const isMissing = spawnSync(PYTHON, ['-c', `import ${PACKAGES}`]).status !== 0

const TITLE = `Tea; "cake", \\ =1+1 and ${'ü'.repeat(80)} 😀`

/** Runs a Python program in a folder, and returns the JSON that it prints. */
function python(folder: string, program: string): unknown {
  const { status, stdout, stderr } = spawnSync(PYTHON, ['-c', `import json, sys\n${program}`], {
    cwd: folder,
  })
  expect([status, String(stderr)]).toEqual([0, ''])
  return JSON.parse(String(stdout))
}

describe.skipIf(isMissing)(
  `tools read exported files (skipped without a Python with ${PACKAGES})`,
  async () => {
    async function exported(format: string) {
      const source = await startScriptedSource({
        ...smallEvent,
        Sessions: [
          {
            Id: 101,
            Title: TITLE,
            TimeSlotId: 1,
            Speakers: [{ Id: 'u1' }, { Id: 'u2' }],
            Description: '<p>One</p>two',
          },
          { Id: 102, Title: 'Closing', TimeSlotId: 1, Speakers: [] },
        ],
      })
      const workspace = await makeWorkspace('postgres')
      workspace.configure(configOfA(source.url))
      const { runs } = await workspace.report('run')
      const run = runs[0]?.run ?? ''
      expect((await workspace.run('export', run, '--format', format, '-o', 'files')).code).toBe(0)
      const columns = (name: string) =>
        workspace.read('out', 'summit', run, `${name}.csv`).split('\r\n')[0]?.split(',') ?? []
      const rows = (name: string): readonly Readonly<Record<string, string>>[] =>
        parse(workspace.read('out', 'summit', run, `${name}.csv`), { columns: true, bom: true })
      return { folder: join(workspace.folder, 'files'), columns, rows }
    }

    test('pyarrow, pandas, DuckDB and Polars read the Parquet files with their types', async () => {
      const { folder, columns, rows } = await exported('parquet')
      const read = python(
        folder,
        `
import duckdb, pandas, polars, pyarrow.parquet as pq
agenda = pq.read_table('agenda.parquet')
totals = pq.read_table('reconciliation.parquet').to_pylist()
print(json.dumps({
  'columns': agenda.column_names,
  'types': {name: str(agenda.schema.field(name).type) for name in ['unique_id', 'start_time', 'speaker_ids']},
  'rows': [[row['unique_id'], row['name'], row['start_time'].isoformat(), row['speaker_ids']] for row in agenda.to_pylist()],
  'pandas': [str(pandas.read_parquet('agenda.parquet').dtypes['start_time']), len(pandas.read_parquet('attendees.parquet'))],
  'polars': [str(polars.read_parquet('agenda.parquet').schema[name]) for name in ['start_time', 'speaker_ids']],
  'duckdb': duckdb.sql("select column_name, column_type from (describe select * from 'agenda.parquet') where column_name in ('start_time', 'speaker_ids')").fetchall(),
  'joined': duckdb.sql("select s.unique_id from 'agenda.parquet' a, unnest(a.speaker_ids) as t(id) join 'speakers.parquet' s on s.unique_id = t.id order by 1").fetchall(),
  'totals': [str(row['count']) for row in totals],
  'empty': pq.read_table('changes.parquet').num_rows,
}))`,
      )
      const start = '2031-05-04T13:00:00+00:00'
      expect(read).toEqual({
        columns: columns('agenda'),
        types: {
          unique_id: 'string',
          start_time: 'timestamp[ms, tz=UTC]',
          speaker_ids: 'list<element: string>',
        },
        rows: [
          ['101', TITLE, start, ['u1', 'u2']],
          ['102', 'Closing', start, null],
        ],
        pandas: ['datetime64[ms, UTC]', 4],
        polars: ["Datetime(time_unit='ms', time_zone='UTC')", 'List(String)'],
        duckdb: [
          ['start_time', 'TIMESTAMP WITH TIME ZONE'],
          ['speaker_ids', 'VARCHAR[]'],
        ],
        joined: [['u1'], ['u2']],
        totals: rows('reconciliation').map(({ count }) => count),
        empty: rows('changes').length,
      })
    })

    test('openpyxl and pandas read the workbook with dates, texts, filters and a frozen header', async () => {
      const { folder, columns } = await exported('xlsx')
      const read = python(
        folder,
        `
import openpyxl, pandas
book = openpyxl.load_workbook('pack.xlsx')
agenda = book['agenda']
header = [cell.value for cell in agenda[1]]
first = dict(zip(header, agenda[2]))
print(json.dumps({
  'sheets': book.sheetnames,
  'header': header,
  'id': [first['unique_id'].value, first['unique_id'].number_format],
  'name': first['name'].value,
  'start': [first['start_time (UTC)'].value.isoformat(), first['start_time (UTC)'].is_date],
  'frozen': agenda.freeze_panes,
  'filters': agenda.auto_filter.ref,
  'pandas': str(pandas.read_excel('pack.xlsx', sheet_name='agenda').dtypes['start_time (UTC)']),
  'attendees': len(pandas.read_excel('pack.xlsx', sheet_name='attendees')),
}))`,
      )
      expect(read).toEqual({
        sheets: [
          'agenda',
          'attendees',
          'speakers',
          'decisions',
          'changes',
          'certificates',
          'reconciliation',
          'load_results',
        ],
        header: columns('agenda').map((name) => (/_time$/.test(name) ? `${name} (UTC)` : name)),
        id: ['101', '@'],
        name: TITLE,
        start: ['2031-05-04T13:00:00', true],
        frozen: 'A2',
        filters: 'A1:O3',
        pandas: expect.stringMatching(/^datetime64/),
        attendees: 4,
      })
    })

    test('DuckDB and pandas read the raw CSV files', async () => {
      const { folder } = await exported('raw-csv')
      const read = python(
        folder,
        `
import duckdb, pandas
print(json.dumps({
  'pandas': pandas.read_csv('agenda.csv', dtype=str)['name'].tolist(),
  'duckdb': duckdb.sql("select name from read_csv('agenda.csv', all_varchar = true) order by unique_id").fetchall(),
}))`,
      )
      expect(read).toEqual({ pandas: [TITLE, 'Closing'], duckdb: [[TITLE], ['Closing']] })
    })

    test('icalendar reads the calendar', async () => {
      const { folder } = await exported('ics')
      const read = python(
        folder,
        `
import icalendar
calendar = icalendar.Calendar.from_ical(open('agenda.ics', 'rb').read())
print(json.dumps([[str(event['UID']), str(event['SUMMARY']), event.decoded('DTSTART').isoformat(), str(event.get('DESCRIPTION', ''))] for event in calendar.walk('VEVENT')]))`,
      )
      const start = '2031-05-04T13:00:00+00:00'
      expect(read).toEqual([
        ['101@summit', TITLE, start, 'One\ntwo'],
        ['102@summit', 'Closing', start, ''],
      ])
    })
  },
)
