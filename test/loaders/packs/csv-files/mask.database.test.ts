import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MASKED, mask } from '../../../../loaders/packs/csv-files/csv.ts'
import { PLATFORM_FIELDS } from '../../../../transforms/decide/platform-fields.ts'
import { startSampleSourceA } from '../../../harness/sample-source/a.ts'
import { syncToPlatform } from '../../../pipeline/sync-to-platform.ts'
import { useFolder } from '../../../support/folder.ts'
import { useDatabase } from '../../../support/use-database.ts'

const database = useDatabase('pglite')
const folder = useFolder()

/** Makes a person of whom every personal value contains the word `canary`. */
const person = (name: string, more: Readonly<Record<string, unknown>> = {}) => ({
  FirstName: `${name} canary`,
  LastName: `canary of ${name}`,
  EmailAddress: `${name}.canary@people.example`,
  Company: `${name} Canary Works`,
  JobTitle: `canary ${name}`,
  Biography: `of ${name}, canary`,
  PhoneNumber: `+49 canary ${name}`,
  ImageUrl: `https://canary.example/${name}.png`,
  ...more,
})
const users = [
  person('ada', { Id: 'u1' }),
  // Some people below have no id or an e-mail address as their id. Their address identifies them, even if it
  // is not valid.
  person('bob'),
  person('cy', { EmailAddress: 'cy.canary' }),
  person('di', { EmailAddress: 'Di.Canary＠people.example' }),
  person('di', { EmailAddress: 'Di.Canary＠people.example' }),
  person('ed', { Id: 'ed.canary@people.example' }),
  person('flo', { Id: 'u6', EmailAddress: undefined }),
  { FirstName: 'canary without anything' },
]
const slots = [{ Id: 1, StartTime: '2031-05-04T13:00:00Z', EndTime: '2031-05-04T14:00:00Z' }]
const ofUsers = (Users: readonly unknown[]) => ({
  Sessions: [{ Id: 1, Title: 'Keynote', TimeSlotId: 1, Speakers: users }],
  TimeSlots: slots,
  Rooms: [],
  Tracks: [],
  SessionTypes: [],
  Users,
})

test('a masked pack has no personal value outside operations.jsonl, not even in ids', async () => {
  const source = await startSampleSourceA(ofUsers(users))
  for (const state of [users, users.slice(0, 4), users]) {
    source.setData(ofUsers(state))
    const { last } = await syncToPlatform({
      database: database(),
      sourceUrl: source.url,
      output: folder(),
      integration: { platform: { type: 'jsonl' }, removals: { maxShare: 1 }, guards: { blackout: false } },
      audit: { personalData: 'masked' },
    })
    expect([last.status, last.error, last.held]).toEqual(['finished', undefined, null])
  }
  await source.close()
  const packs = join(folder(), 'summit')
  const leaks: string[] = []
  for (const run of readdirSync(packs).filter((name) => name !== 'verify.py')) {
    for (const file of readdirSync(join(packs, run))) {
      const text = readFileSync(join(packs, run, file), 'utf8')
      if (file !== 'operations.jsonl') leaks.push(...(text.match(/.{0,60}canary.{0,30}/gi) ?? []))
      else if (run === readdirSync(packs)[0]) expect(text).toContain('bob.canary@people.example')
    }
  }
  expect(leaks).toEqual([])
  const first = join(packs, readdirSync(packs)[0] ?? '')
  const ids = readFileSync(join(first, 'attendees.csv'), 'utf8').match(/(?<=\r\n)"[^"]*"/g)
  // Ids of the source are kept, so that an auditor can find the record.
  expect(ids).toContain('"u1"')
})

test.each(['speakers', 'attendees'] as const)('every field of %s of either source is masked', (content) => {
  for (const name of PLATFORM_FIELDS[content])
    expect(mask.field(content, name, 'ada@people.example'), name).toBe(MASKED)
})
