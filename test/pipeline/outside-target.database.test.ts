import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Served } from '../../pipeline/library/contract.ts'
import { packageRoot } from '../../pipeline/runtime/package-root.ts'
import {
  type PeoplePlatform,
  peopleToken,
  servePeople,
} from '../../pipeline/targets/examples/people-server.ts'
import { exampleA } from '../sources/a.ts'
import { recordsOf } from '../sources/example.ts'
import { useOneFolder } from '../support/folder.ts'
import { createDatabase } from '../support/postgres.ts'
import { runInProcess } from './commands/in-process.ts'

const EXAMPLE = readFileSync(join(packageRoot, 'pipeline/targets/examples/people.ts'), 'utf8')
/** The example without a limit of requests, so that the commands of these tests need not wait. */
const HASTY = EXAMPLE.replace('  requestsPerMinute: 6,\n', '')
const { users: user = {} } = exampleA.full

const person = (id: string, more: object = {}) => ({
  ...user,
  Id: id,
  EmailAddress: `${id.toLowerCase()}@example.org`,
  Roles: 'Attendee',
  SpeakingAt: [],
  ...more,
})

// Each test begins with the database and platform that the test before has left.
describe('a target that a configuration names by its file', () => {
  const folder = useOneFolder()
  let source: Served
  let platform: PeoplePlatform
  let url: string
  let nowMs = 0
  beforeAll(async () => {
    source = await exampleA.serve(recordsOf(exampleA))
    // A minute passes between two requests.
    platform = await servePeople({
      now: () => {
        nowMs += 60_000
        return nowMs
      },
    })
    url = await createDatabase(inject('postgresUrl'))
    mkdirSync(join(folder, 'targets'))
  })
  afterAll(() => Promise.all([source.close(), platform.close()]))

  function write(file: string, text: string): string {
    writeFileSync(join(folder, 'targets', file), text)
    return `./targets/${file}`
  }

  function command(args: readonly string[], type: string, more: object = {}, own: object = {}) {
    const integration = {
      id: 'spring',
      source: { ...exampleA.source, url: source.url },
      content: ['attendees'],
      platform: { type, url: platform.url, eventId: 'spring', token: 'env:PEOPLE_TOKEN', ...own },
      passwords: { mode: 'random', storeEncryptedPassword: true },
      ...more,
    }
    const config = { database: 'env:DATABASE_URL', sealingKey: 'env:KEY', integrations: [integration] }
    writeFileSync(join(folder, 'event-sync.yaml'), JSON.stringify(config))
    const env = {
      DATABASE_URL: url,
      KEY: Buffer.alloc(32, 7).toString('base64'),
      PEOPLE_TOKEN: peopleToken,
    }
    return runInProcess(args, { folder, env })
  }

  function hold(...people: readonly object[]): void {
    source.hold(recordsOf(exampleA, { sessions: [], users: people as never }))
  }

  async function run(type: string, more: object = {}) {
    const { code, stdout, stderr } = await command(['--json', 'run'], type, more)
    return { code, stderr, report: JSON.parse(stdout).runs.at(-1) }
  }

  const registered = () =>
    platform.accounts.filter((one) => !one.isCancelled).map(({ person: { reference } }) => reference)

  test.each([
    ['./targets/none.ts', '', /none\.ts cannot be imported: /],
    [
      './targets/wrong.ts',
      'export default {}',
      /wrong\.ts exports no target: it must contain `export default defineTarget/,
    ],
    ['./targets/broken.ts', 'throw new Error("no such luck")', /broken\.ts cannot be imported: no such luck/],
    ['somewhere', '', /platform\.type: must be jsonl or http, .*got "somewhere"/],
  ])(
    'the file %s is refused with exit code 64, because it does not define a target',
    async (type, text, message) => {
      if (text !== '') write(type.replace('./targets/', ''), text)
      const { code, stderr } = await command(['run'], type)
      expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringMatching(message) })
      expect(stderr).toMatch(/event-sync\.yaml:\d+:\d+: integrations\[0\]\.platform\.type/)
    },
  )

  test.each([
    [{}, { speed: 1 }, /integrations\[0\]\.platform\.speed/],
    [{ content: undefined }, {}, /People Import takes no agenda and no speakers; set content: \[attendees\]/],
    [{ passwords: undefined }, {}, /passwords: is missing, so each attendee would get a random password/],
    [
      {},
      { token: 'env:NO_SUCH_TOKEN' },
      /platform\.token of spring: the secret env:NO_SUCH_TOKEN does not exist/,
    ],
  ])('check and run refuse what the target does not take: %j %j', async (more, own, message) => {
    const type = write('people.ts', HASTY)
    const ran = await command(['run'], type, more, own)
    expect(ran).toMatchObject({ code: 64, stderr: expect.stringMatching(message) })
    const checked = await command(['check'], type, more, own)
    expect(checked.stdout + checked.stderr).toMatch(message)
    expect(checked.code).not.toBe(0)
  })

  test('check says that the target answers, how many items it has, and that it has no fence', async () => {
    hold(person('P1'), person('P2'))
    const { stdout } = await command(['check'], write('people.ts', HASTY))
    expect(stdout).toMatch(
      /its items can be read; it has 0 items of attendees; it does not refuse an older run/,
    )
    expect(platform.requests).toEqual(Array(2).fill('GET /v1/events/spring/people'))
  })

  test.each([
    ['count', 'return (await readPage(1)).total', 'throw new Error("no such number")'],
    ['count', 'return (await readPage(1)).total', 'return undefined'],
    ['list', 'for (const person of answer.people) yield toItem(person)', 'answer.persons.find(() => true)'],
  ])(
    'check finds a mistake in `%s`, which a run would meet only after it has read the source',
    async (name, right, wrong) => {
      const type = write(`wrong-${name}.ts`, HASTY.replace(right, wrong))
      const { code, stdout } = await command(['check'], type)
      expect(code).not.toBe(0)
      expect(stdout).toMatch(new RegExp(`FAILED +platform [^]*seen: .*\`${name}\` of People Import`))
    },
  )

  test('new attendees arrive with a password, which the welcome mail contains; the pack names the target', async () => {
    const { code, report } = await run('./targets/people.ts')
    expect({ code, report }).toMatchObject({ code: 0, report: { changes: { attendees: { create: 2 } } } })
    expect(platform.accounts).toMatchObject([
      {
        person: { reference: 'P1', first_name: 'Ada' },
        password: expect.stringMatching(/^\w{6}$/),
        isMailed: true,
      },
      { person: { reference: 'P2' }, isCancelled: false },
    ])
    const details = JSON.parse(readFileSync(join(report.output, 'details.json'), 'utf8'))
    expect(details.platform).toMatchObject({ type: 'people', url: platform.url, eventId: 'spring' })
    expect(await command(['verify', 'out/spring'], './targets/people.ts')).toMatchObject({ code: 0 })
  })

  test('if the answer to a batch is lost, the batch is sent again and nothing is doubled', async () => {
    hold(person('P1'), person('P2'), person('P3'))
    platform.loseNextAnswer()
    const before = platform.requests.length
    const { code, report } = await run('./targets/people.ts')
    expect({ code, report }).toMatchObject({ code: 0, report: { changes: { attendees: { create: 1 } } } })
    const imports = platform.requests.slice(before).filter((request) => request.endsWith('/import'))
    expect([imports.length, platform.accounts.length]).toEqual([2, 3])
  })

  test('if the platform refuses a whole batch, only the operation at fault is rejected, with its code', async () => {
    const type = write('people.ts', HASTY.replace('firstName: 190, ', ''))
    hold(person('P1', { FirstName: 'A'.repeat(191) }), person('P2', { Company: 'Other' }), person('P3'))
    const { code, report } = await run(type)
    expect({ code, report }).toMatchObject({ code: 3, report: { status: 'finished' } })
    const { stdout } = await command(['show', report.run], type)
    expect(stdout).toMatch(/attendees {2}P1 .*update .*invalid_batch/)
    expect(platform.accounts.map(({ person: { company } }) => company)).toEqual([
      'Engines',
      'Other',
      'Engines',
    ])
  })

  test('a text that is too long is rejected without a request, and an e-mail address that occurs twice too', async () => {
    hold(
      person('P1', { FirstName: 'A'.repeat(191) }),
      person('P2', { Company: 'Other' }),
      person('P3', { EmailAddress: 'P9@example.org' }),
      person('P4', { EmailAddress: 'p9@example.org' }),
    )
    const type = write('people.ts', HASTY)
    const { code, report } = await run(type)
    expect(code).toBe(3)
    const { stdout } = await command(['show', report.run], type)
    expect(stdout).toMatch(/first_name_too_long/)
    expect(stdout).toMatch(/email_address_taken/)
    expect(registered()).toHaveLength(3)
  })

  test('a registration that changes hands gets another account, because the platform cancels the former one', async () => {
    hold(
      person('P1'),
      person('P2'),
      person('P3', { FirstName: 'Grace', LastName: 'Hopper', EmailAddress: 'grace@example.org' }),
    )
    const { report } = await run('./targets/people.ts')
    expect(report.changes.attendees).toMatchObject({ handover: 1 })
    const accounts = platform.accounts.filter(({ person: { reference } }) => reference === 'P3')
    expect(accounts).toMatchObject([
      { isCancelled: true },
      { isCancelled: false, person: { first_name: 'Grace' }, password: expect.any(String) },
    ])
  })

  test('a field for which the platform has no place is not planned, also after the items were read back', async () => {
    const titleless = HASTY.replace("  title: 'job_title',\n", '').replace(
      "  removes: ['attendees'],",
      "  removes: ['attendees'],\n  missingFields: { attendees: ['title', 'custom'] },",
    )
    const type = write('people.ts', titleless)
    const { report: planned } = await run(type)
    expect(planned.changes.attendees).toMatchObject({ create: 0, update: 3, remove: 0 })
    expect(platform.accounts.filter((one) => !one.isCancelled && one.person.job_title !== undefined)).toEqual(
      [],
    )
    const { code, stdout } = await command(['--json', 'run', '--refresh'], type)
    const { changes } = JSON.parse(stdout).runs.at(-1)
    expect({ code, changes }).toMatchObject({
      code: 0,
      changes: { attendees: { create: 0, update: 0, remove: 0, unchanged: 3 } },
    })
    expect(await command(['run'], type, { fields: { attendees: { level: 'Level' } } })).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(
        /fields\.attendees: People Import has no place for fields of your own of attendees; remove this key/,
      ),
    })
    await run(write('people.ts', HASTY))
  })

  test('if the target cannot remove attendees, their removals are withheld with a reason until someone removed them by hand', async () => {
    const type = write('people.ts', HASTY.replace("removes: ['attendees']", 'removes: []'))
    const refused = await command(['run'], type)
    expect(refused).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(
        /handover: must be update, because People Import cannot remove attendees/,
      ),
    })
    hold(person('P1'), person('P2'))
    const more = { handover: 'update', removals: { maxShare: 1 } }
    const { code, report } = await run(type, more)
    expect({ code, report }).toMatchObject({
      code: 0,
      report: {
        changes: { attendees: { remove: 0 } },
        notes: expect.arrayContaining([
          expect.stringMatching(
            /^attendees: 1 removal withheld, because a platform of type people cannot remove/,
          ),
        ]),
      },
    })
    const explained = await command(['explain', 'spring', 'attendees', 'P3'], type, more)
    expect(explained.stdout).toMatch(
      /it still has the item.*cannot remove such items; remove it there by hand/,
    )
    const forgotten = await command(['forget', 'spring', 'attendees', 'P2'], type, more)
    expect(forgotten.stdout).toMatch(/cannot remove them, so remove them there by hand/)
    expect(registered()).toEqual(['P1', 'P2', 'P3'])

    platform.cancelByHand('P2')
    platform.cancelByHand('P3')
    const unaware = await command(['run'], type, more)
    expect(unaware).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(
        /the platform has 1 items of attendees .* knows of 3: .*somebody else writes there/,
      ),
    })
    const { stdout } = await command(['--json', 'run', '--refresh'], type, more)
    expect(JSON.parse(stdout).runs.at(-1)).toMatchObject({
      status: 'finished',
      changes: { attendees: { unchanged: 1 } },
    })
    expect(stdout).not.toContain('withheld')
  })

  test('an error in the code of the target is reported without its message, and the next run finishes the work', async () => {
    hold(person('P1', { Company: 'Third' }), person('P3'))
    const type = write(
      'people.ts',
      HASTY.replace('async send({ upserts, removals }) {', '$& throw new Error(JSON.stringify(upserts));'),
    )
    const { code, report } = await run(type)
    expect([code, report.error]).toEqual([
      1,
      expect.stringMatching(/`send` of People Import threw Error in people\.ts, line \d+; correct the file/),
    ])
    expect(JSON.stringify(report)).not.toMatch(/Third|Lovelace/)
    expect(await run(write('people.ts', HASTY))).toMatchObject({ code: 0, report: { status: 'finished' } })
    expect(platform.accounts[0]?.person.company).toBe('Third')
  })

  test('if the target does not say what happened to an operation, the product reads the items back', async () => {
    hold(person('P1', { Company: 'Fourth' }), person('P3'))
    const type = write('people.ts', HASTY.replace('status === undefined ?', "status === 'updated' ?"))
    const { code, report } = await run(type)
    expect({ code, report }).toMatchObject({ code: 0, report: { changes: { attendees: { update: 1 } } } })
    const results = readFileSync(join(report.output, 'load_results.csv'), 'utf8')
    expect(results).toMatch(/"P1","upsert","unchanged","read_back"/)
  })

  test('if the token is refused, the run says what to check', async () => {
    hold(person('P1'), person('P3'), person('P5'))
    const type = write('people.ts', HASTY.replace('`Bearer ${', '`Bearer x${'))
    const { code, report, stderr } = await run(type)
    expect([code, `${report?.error}${stderr}`]).toEqual([
      1,
      expect.stringContaining('the platform answered 401: check the credentials in platform'),
    ])
  })
})
