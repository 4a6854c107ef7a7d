import { compareNamed, type Difference } from '../../harness/compare.ts'
import { lookAt } from '../../harness/platform-judge.ts'
import type { Random } from '../../harness/random.ts'
import { declare, type Tally } from '../../harness/tally.ts'
import type { Items } from '../model/model-items.ts'
import type { Content } from '../model/options.ts'
import { type Command, execute, type Place } from './commands.ts'
import type { HistoryModel } from './model-history.ts'
import type { Run } from './model-report.ts'
import { wantedOf } from './model-rollback.ts'
import type { Settings } from './settings.ts'

declare('a person is forgotten, then a rollback')
declare('a person is forgotten, then a run, then a rollback')

const MINUTE_MS = 60 * 1000
const PEOPLE: readonly Content[] = ['speakers', 'attendees']

/** A history that has ended: the platform has what the source has. */
interface Settled extends Place {
  readonly model: HistoryModel
  readonly random: Random
  readonly tally: Tally
}

/**
 * Forgets a person, goes back to a run after which the platform had the person, and lets runs send again. The
 * model of a history does not have tokens of forgotten people, so only the items of the platform are compared.
 *
 * @param source the items that the source states
 */
export async function sayFarewell(
  { model, random, tally, ...place }: Settled,
  url: string,
  settings: Settings,
  source: ReadonlyMap<Content, Items>,
): Promise<readonly Difference[]> {
  const forgotten = drawForgotten(model, source, random)
  if (forgotten === null) return []
  const { to, uniqueId } = forgotten
  const former = model.itemsAfter(to)
  const isRunBetween = random.chance(0.5)
  tally.count(`a person is forgotten, then ${isRunBetween ? 'a run, then ' : ''}a rollback`)
  const call = (command: Command) => {
    place.clock.pass(MINUTE_MS)
    return execute(place, url, settings, command)
  }
  const keptOut = (content: Content, id: string) =>
    PEOPLE.includes(content) && id === uniqueId ? 'forgotten' : model.keptOut(content, id)

  await call({ is: 'forget', item: { content: 'attendees', uniqueId } })
  if (isRunBetween) await runApproved(call)
  const planned = await call({ is: 'rollback', to })
  const [plan] = planned.reports
  if (plan?.planHash == null) return [{ path: 'farewell rollback', expected: 'a plan', actual: plan?.error }]
  const applied = await call({ is: 'apply', hash: plan.planHash })
  const back = await compareItems('after the rollback', place, { items: former, keptOut })
  if (back.length > 0) return [...back, ...reasonOf(applied)]

  const pinned = await call({ is: 'run', refresh: false })
  const still = await compareItems('while pinned', place, { items: former, keptOut })
  if (still.length > 0) return [...still, ...reasonOf(pinned)]
  await call({ is: 'resume' })
  const last = await runApproved(call)
  const gone = await compareItems('after resume', place, { items: source, keptOut })
  return gone.length === 0 ? [] : [...gone, ...reasonOf(last)]
}

type Call = (command: Command) => ReturnType<typeof execute>

/** Runs, and approves the plan if a guard holds it. */
async function runApproved(call: Call): ReturnType<typeof execute> {
  const ended = await call({ is: 'run', refresh: false })
  const held = ended.reports.find(({ status }) => status === 'held')
  return held?.planHash == null ? ended : call({ is: 'apply', hash: held.planHash })
}

function reasonOf({ reports }: Awaited<ReturnType<typeof execute>>): readonly Difference[] {
  return reports.map((report) => ({ path: 'its report', expected: null, actual: report }))
}

/** A person, and a run after which the platform had the person. Null if there are none. */
function drawForgotten(
  { applied, known, itemsAfter, refuseTarget }: HistoryModel,
  source: ReadonlyMap<Content, Items>,
  random: Random,
): { readonly to: Run; readonly uniqueId: string } | null {
  // If someone else changed items, the computed state can have an address twice, which the platform rejects.
  const hasOwnAddresses = (run: Run) => {
    const people = [...(itemsAfter(run).get('attendees')?.values() ?? [])]
    return new Set(people.map(({ emailAddress }) => emailAddress)).size === people.length
  }
  const targets = applied.filter((run) => refuseTarget(run) === null && hasOwnAddresses(run))
  if (targets.length === 0) return null
  const to = random.pick(targets)
  const lists = [to.after, known, source].map((items) => items.get('attendees') ?? new Map())
  // `forget` does not suppress an address that others have, so that person would be another case.
  const addresses = lists.flatMap((items) => [...items].map(([id, { emailAddress }]) => [emailAddress, id]))
  const isOwn = (uniqueId: string) => {
    const own = new Set(addresses.flatMap(([address, id]) => (id === uniqueId ? [address] : [])))
    return addresses.every(([address, id]) => id === uniqueId || !own.has(address))
  }
  const ids = [...(to.after.get('attendees')?.keys() ?? [])].filter((id) => id.startsWith('p') && isOwn(id))
  return ids.length === 0 ? null : { to, uniqueId: random.pick(ids) }
}

/** Compares the items of the platform with these items, without what is kept out. */
async function compareItems(
  when: string,
  { platform }: Place,
  wanted: { readonly items: ReadonlyMap<Content, Items>; readonly keptOut: HistoryModel['keptOut'] },
): Promise<readonly Difference[]> {
  const contents = [...wanted.items.keys()]
  const { items } = await lookAt(platform)
  return [...wantedOf({ contents, former: wanted.items, keptOut: wanted.keptOut })].flatMap(
    ([content, list]) =>
      compareNamed(
        `farewell, ${when}: ${content}`,
        list,
        new Map(items[content].map(({ uniqueId, fields }) => [uniqueId, fields])),
      ),
  )
}
