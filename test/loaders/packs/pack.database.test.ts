// These tests run on both engines, because the packs must have the same bytes on each.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { type PackOptions, writePack } from '../../../loaders/packs/pack.ts'
import type { Content } from '../../../sql/tables.ts'
import { makeDesired } from '../../../transforms/decide/desired.ts'
import { makePlan } from '../../../transforms/plan/plan.ts'
import { transformB } from '../../../transforms/source-b/index.ts'
import { ALL_CONTENTS } from '../../support/decide.ts'
import { PLAN_SCOPE, possess } from '../../support/desired.ts'
import { bothEngines } from '../../support/engines.ts'
import { useFolder } from '../../support/folder.ts'
import { emptyTables, INTEGRATION, insertStaged, runId, type StagedRows } from '../../support/staged.ts'
import { useDatabase } from '../../support/use-database.ts'
import { DEFAULTS } from '../../transforms/source-b/options.ts'

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

const RESOURCES = new Map<Content, string>([
  ['agenda', 'sessions'],
  ['speakers', 'registrants'],
  ['attendees', 'registrants'],
])

const TIMES = {
  start_time: '2031-08-08T09:00:00Z',
  start_time_status: 'read',
  end_time: '2031-08-08T10:00:00Z',
  end_time_status: 'read',
} as const
const SPEAKER = { reg_type_id: '20', reg_type_value: 'Speaker', reg_type_folded: 'speaker' }

const STAGED: StagedRows = {
  'staging.b_sessions': [
    { source_id: '1', name: '=1+1', description: 'a\r\nb "c"', ...TIMES },
    { source_id: '2', ...TIMES },
  ],
  'staging.b_registrants': [
    { source_id: 'é', first_name: 'Ada', last_name: "'L", email: '@x', session_ids: ['1', '2'], ...SPEAKER },
    { source_id: 'z', first_name: 'Bob', last_name: 'B', email: 'b@example.org', cancelled_at: 'yes' },
  ],
}

// The expected files were written by hand from the contracts of the platform and of the packs.
const EXPECTED: Readonly<Record<string, string>> = {
  'agenda.csv': [
    'unique_id,action,name,start_time,end_time,description,location,session_tracks,filter_group,sub_filters,speaker_ids,link_urls,local_start,local_end,zone',
    '"1","create","\'=1+1","2031-08-08T09:00:00Z","2031-08-08T10:00:00Z","a\r\nb ""c""",,,,,,,"2031-08-08T11:00:00","2031-08-08T12:00:00","Europe/Berlin"',
  ].join('\r\n'),
  'speakers.csv': [
    'unique_id,action,first_name,last_name,title,company,description,image_url,session_ids,attendee_id,facebook_url,linkedin_url,twitter',
    '"é","create","Ada","\'\'L",,,,,"1","é",,,',
  ].join('\r\n'),
  'attendees.csv': [
    'unique_id,action,first_name,last_name,email_address,title,company,biography,phone,personal_agenda',
    '"é","create","Ada","\'\'L","\'@x",,,,,"1"',
  ].join('\r\n'),
  'decisions.csv': [
    'content,resource,source_id,unique_id,decision,reason,action,detail',
    '"agenda","sessions","1","1","synced",,"create",',
    '"agenda","sessions","2","2","excluded","missing_required:name",,',
    '"attendees","registrants","z","z","excluded","cancelled","remove",',
    '"attendees","registrants","é","é","synced",,"create","not_synced:personalAgenda=1"',
    '"speakers","registrants","z","z","excluded","not_a_speaker",,',
    '"speakers","registrants","é","é","synced",,"create","not_synced:sessionIds=1"',
  ].join('\r\n'),
  'changes.csv': [
    'content,unique_id,action,field,before,after,reason',
    '"agenda","1","create","description",,"a\r\nb ""c""",',
    '"agenda","1","create","endTime",,"2031-08-08T10:00:00Z",',
    '"agenda","1","create","name",,"\'=1+1",',
    '"agenda","1","create","startTime",,"2031-08-08T09:00:00Z",',
    '"attendees","z","remove","firstName","Bob",,"cancelled"',
    '"attendees","é","create","emailAddress",,"\'@x",',
    '"attendees","é","create","firstName",,"Ada",',
    '"attendees","é","create","lastName",,"\'\'L",',
    '"attendees","é","create","personalAgenda",,"1",',
    '"speakers","é","create","attendeeId",,"é",',
    '"speakers","é","create","firstName",,"Ada",',
    '"speakers","é","create","lastName",,"\'\'L",',
    '"speakers","é","create","sessionIds",,"1",',
  ].join('\r\n'),
}

const REPORTED = {
  rollbackTo: null,
  productVersion: '0.0.0',
  startedAt: '2031-05-04T16:00:00.000Z',
  startedBy: 'ada',
  appliedAt: '2031-05-04T16:00:10.000Z',
  finishedAt: '2031-05-04T16:00:11.000Z',
  approvedBy: null,
  approvedAt: null,
  configHash: 'ab',
  planHash: 'cd',
  certified: true,
  held: null,
  counts: null,
  source: { type: 'b', url: 'https://source-b.example', eventId: '77' },
  platform: { type: 'jsonl', url: '', eventId: '' },
  eventName: null,
  silencedHints: [],
  timeZone: 'Europe/Berlin',
}

/** The files of a pack by their names, for each engine that wrote them. */
const written: Record<string, Record<string, Buffer>> = {}

describe.each(bothEngines)('on %s', (engine) => {
  const database = useDatabase(engine)
  const folder = useFolder()
  const run = { integrationId: INTEGRATION, runId: runId(1) }

  beforeEach(async () => {
    await emptyTables(database().kysely)
    await insertStaged(database().kysely, STAGED)
    await possess(database().kysely, [['attendees', 'z', { firstName: 'Bob' }]])
    await database().transaction(async (transaction) => {
      const scope = { integrationId: INTEGRATION, contents: ALL_CONTENTS, options: DEFAULTS }
      await makeDesired(transaction, transformB, scope, run.runId, true)
      await makePlan(transaction, { ...PLAN_SCOPE, ...run, platformRevision: '0' })
    })
    writeFileSync(join(folder(), 'operations.jsonl'), 'operations\n')
  })

  const write = (resourceOf = RESOURCES, operations: number | null = 4, sign: PackOptions['sign'] = null) =>
    writePack(database().kysely, run, {
      folder: folder(),
      mode: 'private',
      integration: INTEGRATION,
      custom: {},
      resourceOf,
      operations,
      personalData: 'full',
      excel: false,
      sign,
      superseded: [],
      report: REPORTED,
      sameAs: null,
      manifest: { run: run.runId },
      details: { counts: null },
      onWritten: () => undefined,
      before: null,
    })
  const read = (name: string) => readFileSync(join(folder(), name))

  test('the CSV files have exactly the bytes that the contract requires [R48]', async () => {
    await write()
    for (const [name, text] of Object.entries(EXPECTED)) {
      expect.soft(read(name).toString(), name).toBe(`${text}\r\n`)
    }
    written[engine] = Object.fromEntries(readdirSync(folder()).map((name) => [name, read(name)]))
  })

  test('the manifest and its details describe each file, and the next manifest contains the hash of the manifest', async () => {
    const hash = await write()
    expect(hash).toBe(sha256(read('manifest.json')))
    const manifest = JSON.parse(read('manifest.json').toString())
    expect(manifest.run).toBe(run.runId)
    const rows = {
      'agenda.csv': 1,
      'attendees.csv': 1,
      'speakers.csv': 1,
      'decisions.csv': 6,
      'changes.csv': 13,
      'certificates.csv': 0,
      'reconciliation.csv': 0,
      'load_results.csv': 4,
      'datapackage.json': 8,
      'README.txt': 0,
    }
    const ofThisRun = { 'operations.jsonl': 4, 'report.html': 0, 'details.json': 0 }
    const described = (files: Readonly<Record<string, number>>) =>
      Object.entries(files).map(([name, count]) => ({
        name,
        rows: count,
        bytes: statSync(join(folder(), name)).size,
        sha256: sha256(read(name)),
      }))
    expect(manifest.files).toEqual(described(ofThisRun))
    const details = JSON.parse(read('details.json').toString())
    expect(details).toEqual({ counts: null, files: described(rows) })
  })

  test('sha256sum alone confirms an intact pack, and finds a changed byte', async () => {
    await write()
    const listed = read('SHA256SUMS')
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => line.split('  '))
    expect(listed).toEqual(
      readdirSync(folder())
        .filter((name) => name !== 'SHA256SUMS')
        .map((name) => [sha256(read(name)), name]),
    )
    if (!existsSync('/usr/bin/sha256sum')) return
    const check = () =>
      execFileSync('/usr/bin/sha256sum', ['-c', 'SHA256SUMS'], { cwd: folder(), stdio: 'pipe' }).toString()
    expect(check().trimEnd().split('\n')).toEqual(listed.map(([, name]) => `${name}: OK`))
    writeFileSync(join(folder(), 'agenda.csv'), read('agenda.csv').toString().replace('1+1', '1+2'))
    expect(check).toThrow(/agenda.csv: FAILED|did NOT match/)
  })

  test('content that the integration does not sync has a file with only the header', async () => {
    await write(new Map([['agenda', 'sessions']]), null)
    expect(read('speakers.csv').toString()).toBe(`${EXPECTED['speakers.csv']?.split('\r\n')[0]}\r\n`)
    expect(read('attendees.csv').toString()).toBe(`${EXPECTED['attendees.csv']?.split('\r\n')[0]}\r\n`)
    expect(read('decisions.csv').toString().trimEnd().split('\r\n').length).toBe(3)
    const manifest = JSON.parse(read('manifest.json').toString())
    expect(manifest.files.map(({ name }: { name: string }) => name)).not.toContain('operations.jsonl')
  })

  test('the note README.txt names every file of the pack, and no file that the pack does not have', async () => {
    const named = () =>
      [
        ...read('README.txt')
          .toString()
          .matchAll(/^ {2}(\S+) {2,}[A-Z]/gm),
      ].map(([, name]) => name)
    await write()
    expect(named().sort()).toEqual(readdirSync(folder()).sort())
    rmSync(join(folder(), 'operations.jsonl'))
    await write(RESOURCES, null)
    expect(named().sort()).toEqual(readdirSync(folder()).sort())
  })

  test('a signature is an additional file, and does not change the other files of the pack', async () => {
    const unsigned = await write()
    expect(await write(RESOURCES, 4, () => 'signed')).toBe(unsigned)
    expect(read('manifest.sig').toString()).toBe('signed\n')
  })
})

test('both engines write the same bytes for the same pack [R71]', () => {
  expect(Object.keys(written.pglite ?? {}).length).toBe(15)
  expect(written.postgres).toEqual(written.pglite)
})
