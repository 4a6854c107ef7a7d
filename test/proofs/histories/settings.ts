import type { Random } from '../../harness/random.ts'
import { declare, type Tally } from '../../harness/tally.ts'
import type { Content, OptionsOfBoth } from '../model/options.ts'

/** The options in the configuration of a history's integration. */
export interface Settings extends OptionsOfBoth {
  /** Time zone of the source. */
  readonly timeZone: string
  /** Maximum number of operations in one batch. */
  readonly batchSize: number
}

const ALL: readonly Content[] = ['agenda', 'speakers', 'attendees']
const SOME: readonly (readonly Content[])[] = [
  ['agenda', 'attendees'],
  ['speakers', 'attendees'],
  ['attendees'],
]

const DRAWS: Readonly<Record<string, (random: Random) => Partial<Settings>>> = {
  content: (random) => ({ content: random.chance(0.6) ? ALL : random.pick(SOME) }),
  removals: (random) => ({ removals: random.chance(0.8) ? 'remove' : 'keep' }),
  'removal limits': (random) =>
    random.pick([
      { maxShare: 0.2, minCount: 5 },
      { maxShare: 0.2, minCount: 5 },
      { maxShare: 0.1, minCount: 2 },
      { maxShare: 1, minCount: 0 },
    ]),
  'share of stated removals': (random) => ({ maxStatedShare: random.pick([0.5, 0.5, 0.25, 1]) }),
  blackout: (random) => ({ blackout: random.chance(0.7) }),
  massUpdate: (random) => ({ massUpdate: random.pick([0.5, 0.5, 0.9, 1]) }),
  onHold: (random) => ({ onHold: random.pick(['stop', 'withholdRemovals'] as const) }),
  handover: (random) => ({ handover: random.pick(['replace', 'replace', 'update'] as const) }),
  timeZone: (random) => ({ timeZone: random.pick(['UTC', 'Europe/Berlin', 'America/New_York']) }),
  batchSize: (random) => ({ batchSize: random.pick([1, 3, 7, 7, 20, 100]) }),
}

for (const name of Object.keys(DRAWS)) declare(`configuration: ${name} changes`)

export function drawSettings(random: Random): Settings {
  const all: Settings = {
    content: ALL,
    removals: 'remove',
    handover: 'replace',
    maxShare: 0.2,
    maxStatedShare: 0.5,
    minCount: 5,
    blackout: true,
    massUpdate: 0.5,
    onHold: 'stop',
    timeZone: 'UTC',
    batchSize: 7,
  }
  const chosen = Object.values(DRAWS).filter(() => random.chance(0.5))
  return Object.assign(all, ...chosen.map((draw) => draw(random)))
}

/** Returns the settings, sometimes with one option changed. */
export function changeSettings(settings: Settings, random: Random, tally: Tally): Settings {
  if (!random.chance(0.25)) return settings
  const [name, draw] = random.pick(Object.entries(DRAWS))
  const after = { ...settings, ...draw(random) }
  if (JSON.stringify(after) !== JSON.stringify(settings)) tally.count(`configuration: ${name} changes`)
  return after
}
