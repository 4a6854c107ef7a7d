import { type Draw, traps } from '../../harness/draw.ts'
import { type Json, num, obj } from '../../harness/json.ts'
import { makeExtra } from './custom-options.ts'
import {
  changeResources,
  type Element,
  type Fields,
  type Maker,
  makeResources,
  type Resources,
  signedAgain,
} from './elements.ts'
import { makeIds } from './id-traps.ts'
import type { OptionsB } from './options.ts'
import { makeRegistrant } from './registrant-traps.ts'
import { makeSessionOfB } from './session-traps-b.ts'

export interface SourceB {
  readonly options: OptionsB
  readonly ids: { readonly sessions: readonly string[]; readonly registrants: readonly string[] }
  readonly resources: Resources
}

const typeList = traps<readonly Fields[]>('registrant types', {
  plain: [6, []],
  'one without id': [6, [{ id: null, name: 'Speaker' }]],
  'an id twice': [
    6,
    [
      { id: num(25), name: 'Speaker' },
      { id: '25', name: 'Sponsor' },
    ],
  ],
  'a name that is no text': [
    6,
    [
      { id: num(26), name: obj({}) },
      { id: num(27), name: num(20) },
    ],
  ],
})

type Whereabouts = 'listed' | 'named' | 'nowhere'

const speakerType = traps<Whereabouts>('type of the configured name', {
  listed: [40, 'listed'],
  'only named by registrants': [12, 'named'],
  nowhere: [20, 'nowhere'],
})

function registrantTypes(draw: Draw, where: Whereabouts): readonly Element[] {
  const speakers: readonly Fields[] = [
    { id: num(20), name: draw.random.pick(['Speaker', ' SPEAKER ', 'speaker']) },
    { id: '22', name: draw.random.pick(['Referent äö', 'REFERENT ÄÖ\u00a0']) },
    ...typeList(draw),
  ]
  const others: readonly Fields[] = [
    { id: num(23), name: 'Attendee' },
    { id: num(24), name: null },
    { id: '28', name: 'Speaker coach' },
  ]
  const all = where === 'listed' ? [...speakers, ...others] : others
  return all.map((fields) => ({ fields, json: obj(fields) }))
}

/** Adds the list of registrant types. The configured type occurs exactly where the random choice wants it. */
function withTypes(draw: Draw, { registrants = [], ...others }: Resources): Resources {
  const where = speakerType(draw)
  const shown =
    where === 'nowhere'
      ? registrants.map(({ fields, json }): Element => {
          if (fields === null) return { fields, json }
          const changed = { ...fields, reg_type_id: draw.random.pick<Json>([num(23), '28', null]) }
          return { fields: changed, json: obj(changed) }
        })
      : registrants
  return { ...others, registrants: shown, 'reg-types': registrantTypes(draw, where) }
}

const leaveRegistrant = traps<Fields>('registrant leaves', {
  cancelled: [1, { cancelled_at: '2031-02-03 04:05:06' }],
  'of another type': [1, { reg_type_id: num(23) }],
})

function makers({ options, ids }: Pick<SourceB, 'options' | 'ids'>): readonly Maker[] {
  const shape = { idKey: 'id', spell: (_: Draw, fields: Fields) => obj(fields) }
  return [
    {
      resource: 'sessions',
      prefix: 's',
      make: (draw) => ({ ...makeSessionOfB(draw, options), Extra: makeExtra(draw, false) }),
      ...shape,
    },
    {
      resource: 'registrants',
      prefix: 'p',
      make: (draw) => ({ ...makeRegistrant(draw, ids.sessions), Extra: makeExtra(draw, false) }),
      leave: leaveRegistrant,
      ...shape,
    },
  ]
}

export function generateB(draw: Draw, options: OptionsB): SourceB {
  const { random } = draw
  const ids = {
    sessions: makeIds(draw, 20 + random.below(15), 's'),
    registrants: makeIds(draw, 30 + random.below(15), 'p'),
  }
  const made = makeResources(draw, makers({ options, ids }), ids)
  return { options, ids, resources: withTypes(draw, made) }
}

export function changeB(draw: Draw, source: SourceB, options: OptionsB): SourceB {
  const isOther = options !== source.options
  const changed = changeResources(draw, makers({ ...source, options }), source.resources, isOther)
  const resources = withTypes(draw, changed)
  return { ...source, options, resources: draw.random.chance(0.5) ? signedAgain(draw, resources) : resources }
}
