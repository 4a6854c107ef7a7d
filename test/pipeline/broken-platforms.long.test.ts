import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { judgePlatform, lookAt, type RememberedChange, type WantedItem } from '../harness/platform-judge.ts'
import type { FaultOrder } from '../harness/sample-platform/faults.ts'
import type { SamplePlatform } from '../harness/sample-platform/start.ts'
import { usePlatforms } from '../harness/sample-platform/use-platform.ts'
import { smallEvent } from './commands/small-event.ts'
import { useSmallSync } from './use-small-sync.ts'

type BrokenName =
  | 'forgetsKeys'
  | 'losesOneOperation'
  | 'swapsTwoResults'
  | 'acknowledgesWithoutStoring'
  | 'ignoresFences'

const attendee = (id: string, firstName = 'Ada'): WantedItem => ({
  content: 'attendees',
  uniqueId: id,
  fields: { firstName, lastName: `Of ${id}`, emailAddress: `${id}@people.example` },
})
const session = (uniqueId: string, name: string, more: WantedItem['fields'] = {}): WantedItem => ({
  content: 'agenda',
  uniqueId,
  fields: { name, startTime: '2031-05-04T13:00:00Z', endTime: '2031-05-04T14:00:00Z', ...more },
})

/** The items that a correct platform has after the sync of the small event. */
const WANTED: readonly WantedItem[] = [
  ...['u1', 'u2', 'u3', 'u4'].map((id) => attendee(id)),
  {
    content: 'speakers',
    uniqueId: 'u1',
    fields: { firstName: 'Ada', lastName: 'Of u1', sessionIds: ['101'], attendeeId: 'u1' },
  },
  session('101', 'Opening', { speakerIds: ['u1'] }),
  session('102', 'Closing'),
]

describe('the comparison of a platform with the source', () => {
  const { database, source, ...small } = useSmallSync('pglite')
  const platforms = usePlatforms()
  let platform: SamplePlatform
  beforeEach(async () => {
    platform = await platforms.start()
  })

  const sync = () => small.sync({ platform, batchSize: 3 })
  const rename = (firstNames: Readonly<Record<string, string>>) => {
    const Users = (smallEvent.Users ?? []).map((user) => {
      const id = String(Reflect.get(Object(user), 'Id'))
      return firstNames[id] === undefined ? user : { ...Object(user), FirstName: firstNames[id] }
    })
    source().records = { ...source().records, Users }
  }
  const recorded = async (): Promise<readonly RememberedChange[]> => {
    const rows = await database()
      .kysely.selectFrom('sync.changes')
      .select(['run_id as run', 'seq', 'unique_id as uniqueId', 'action', 'freed', 'state', 'result', 'code'])
      .execute()
    return rows.map((row) => ({ ...row, seq: Number(row.seq) }))
  }

  interface Story {
    readonly story: string
    /** @param play replaces the planned faults; the platform itself stays broken in the same way */
    readonly sync: (play: (...faults: readonly FaultOrder[]) => Promise<unknown>) => Promise<unknown>
    readonly wanted?: readonly WantedItem[]
    /**
     * The ways in which the platform can be broken, each with the first finding that the comparison must
     * make.
     */
    readonly found: readonly (readonly [BrokenName, RegExp])[]
  }

  const stories: readonly Story[] = [
    {
      story: 'all goes well',
      sync: () => sync(),
      found: [
        ['losesOneOperation', /^attendees u1 is not there$/],
        ['acknowledgesWithoutStoring', /^attendees u1 is not there$/],
      ],
    },
    {
      story: 'an answer is lost, and the batch is sent again',
      async sync(play) {
        await play({ fault: 'failAfterCommit', skip: 1 })
        await sync()
      },
      found: [['forgetsKeys', /^upsert 4 of .* was taken twice$/]],
    },
    {
      story: 'one operation of three is rejected, and sent again by the next run',
      async sync(play) {
        await play({ fault: 'failOperation', uniqueId: 'u2', retryable: true })
        await sync()
        await play()
        await sync()
      },
      found: [['swapsTwoResults', /^attendees u2 is not there$/]],
    },
    {
      story: 'a database that is behind sends what its source said yesterday',
      async sync() {
        await sync()
        rename({ u4: 'Grace' })
        await sync()
        // The trigger sets the fence number back during the run, because a run with an old number is refused
        // at its start.
        const { kysely } = database()
        await sql`create function behind() returns trigger language plpgsql as $$ begin
          update sync.integrations set fence = 0; return new; end $$`.execute(kysely)
        await sql`create trigger behind after update of plan_hash on sync.runs
          for each row execute function behind()`.execute(kysely)
        rename({ u4: 'Yesterday' })
        await sync()
        await sql`drop function behind cascade`.execute(kysely)
      },
      wanted: WANTED.map((item) => (item.uniqueId === 'u4' ? attendee('u4', 'Grace') : item)),
      found: [['ignoresFences', /^attendees u4 is .*Yesterday.* instead of .*Grace/]],
    },
  ]
  const judged = async ({ wanted }: Story) =>
    judgePlatform(await lookAt(platform), wanted ?? WANTED, await recorded())

  test.each(stories)('the comparison finds nothing on a correct platform: $story', async (story) => {
    await story.sync((...faults) => platform.control('faults', faults))
    expect(await judged(story)).toEqual([])
  })

  const cases = stories.flatMap((story) =>
    story.found.map(([broken, first]) => ({ ...story, broken, first })),
  )

  test.each(cases)('the comparison finds the fault of a platform that $broken: $story', async (story) => {
    const play = (...faults: readonly FaultOrder[]) =>
      platform.control('faults', [{ fault: story.broken }, ...faults])
    await play()
    await story.sync(play)
    expect((await judged(story))[0]).toMatch(story.first)
  })
})
