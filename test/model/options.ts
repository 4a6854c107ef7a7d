import { ZONES } from './time-traps.ts'
import type { Draw } from './traps.ts'
import { traps } from './traps.ts'

export type Content = 'agenda' | 'speakers' | 'attendees'

/** What the configuration of Source A leaves to choose; a key that is absent has its default. */
export interface OptionsA {
  readonly timeZone?: string
  readonly speakers?: 'listed' | 'role' | 'both'
  readonly sessionStatuses?: readonly string[]
  readonly includeHidden?: boolean
  readonly includePending?: boolean
  readonly oneToOneTypes?: readonly string[]
  readonly locationSeparator?: string
  readonly fields?: { readonly facebook?: string; readonly linkedin?: string }
}

/** The same of Source B. */
export interface OptionsB {
  readonly timeZone?: string
  readonly speakerRegistrantType?: string
  readonly cancelledSpeakers?: 'keep' | 'exclude'
  readonly fields?: { readonly email: string }
}

/** What the configuration of either leaves to choose outside `source`. */
export interface OptionsOfBoth {
  readonly content: readonly Content[]
  readonly removals: 'remove' | 'keep'
  readonly maxShare: number
  readonly minCount: number
  readonly blackout: boolean
  readonly massUpdate: number
  readonly onHold: 'stop' | 'withholdRemovals'
}

const timeZone = traps<{ timeZone?: string }>('option timeZone', {
  absent: [2, () => ({})],
  given: [8, ({ random }) => ({ timeZone: random.pick(ZONES) })],
})

const speakers = traps<Partial<OptionsA>>('option speakers', {
  absent: [2, () => ({})],
  listed: [2, () => ({ speakers: 'listed' })],
  role: [2, () => ({ speakers: 'role' })],
  both: [2, () => ({ speakers: 'both' })],
})

const sessionStatuses = traps<Partial<OptionsA>>('option sessionStatuses', {
  absent: [4, () => ({})],
  given: [2, ({ random }) => ({ sessionStatuses: random.pick([['Accepted'], ['Accepted', 'Waitlisted']]) })],
})

const hidden = traps<Partial<OptionsA>>('option includeHidden', {
  absent: [2, () => ({})],
  false: [1.5, () => ({ includeHidden: false })],
  true: [1, () => ({ includeHidden: true })],
})

const pending = traps<Partial<OptionsA>>('option includePending', {
  absent: [2, () => ({})],
  false: [1, () => ({ includePending: false })],
  true: [1, () => ({ includePending: true })],
})

const oneToOneTypes = traps<Partial<OptionsA>>('option oneToOneTypes', {
  absent: [2, () => ({})],
  given: [1, () => ({ oneToOneTypes: ['Hosted Buyer', 'Zwiegespräch ÄÖ'] })],
})

const locationSeparator = traps<Partial<OptionsA>>('option locationSeparator', {
  absent: [2, () => ({})],
  given: [1, ({ random }) => ({ locationSeparator: random.pick([', ', ' / ', '', "'%' "]) })],
})

const fieldsA = traps<Partial<OptionsA>>('option fields of A', {
  absent: [3, () => ({})],
  facebook: [1, () => ({ fields: { facebook: 'FbPage' } })],
  both: [1, () => ({ fields: { facebook: 'fbpage', linkedin: 'Website' } })],
})

const speakerType = traps<Partial<OptionsB>>('option speakerRegistrantType', {
  absent: [3, () => ({})],
  'a name, in another case': [2, () => ({ speakerRegistrantType: ' rEFERENT ÄÖ ' })],
  'an id': [2, () => ({ speakerRegistrantType: '20' })],
})

const cancelledSpeakers = traps<Partial<OptionsB>>('option cancelledSpeakers', {
  absent: [1, () => ({})],
  keep: [1, () => ({ cancelledSpeakers: 'keep' })],
  exclude: [2, () => ({ cancelledSpeakers: 'exclude' })],
})

const fieldsB = traps<Partial<OptionsB>>('option fields of B', {
  absent: [2, () => ({})],
  email: [1, () => ({ fields: { email: 'work_email' } })],
})

const content = traps<readonly Content[]>('option content', {
  all: [4, () => ['agenda', 'speakers', 'attendees']],
  agenda: [1, () => ['agenda']],
  speakers: [1.5, () => ['speakers']],
  attendees: [1.5, () => ['attendees']],
  'agenda and speakers': [1, () => ['agenda', 'speakers']],
  'agenda and attendees': [1, () => ['agenda', 'attendees']],
  'speakers and attendees': [1, () => ['speakers', 'attendees']],
})

const removals = traps<OptionsOfBoth['removals']>('option removals', {
  remove: [4, () => 'remove'],
  keep: [1, () => 'keep'],
})

const removalLimits = traps<Pick<OptionsOfBoth, 'maxShare' | 'minCount'>>('option removal limits', {
  'as by default': [2, () => ({ maxShare: 0.2, minCount: 5 })],
  'few may go': [1, () => ({ maxShare: 0.05, minCount: 1 })],
  'all may go': [3, () => ({ maxShare: 1, minCount: 0 })],
})

const blackout = traps<boolean>('option blackout', { true: [2, () => true], false: [2, () => false] })

const massUpdate = traps<number>('option massUpdate', {
  'as by default': [2, () => 0.5],
  all: [1, () => 1],
  'a quarter': [1, () => 0.25],
})

const onHold = traps<OptionsOfBoth['onHold']>('option onHold', {
  stop: [1, () => 'stop'],
  withholdRemovals: [1, () => 'withholdRemovals'],
})

export function drawOptionsOfBoth(draw: Draw): OptionsOfBoth {
  return {
    content: content(draw),
    removals: removals(draw),
    ...removalLimits(draw),
    blackout: blackout(draw),
    massUpdate: massUpdate(draw),
    onHold: onHold(draw),
  }
}

export function drawOptionsA(draw: Draw): OptionsA {
  const chosen = [
    timeZone,
    speakers,
    sessionStatuses,
    hidden,
    pending,
    oneToOneTypes,
    locationSeparator,
    fieldsA,
  ]
  return Object.assign({}, ...chosen.map((option) => option(draw)))
}

export function drawOptionsB(draw: Draw): OptionsB {
  return Object.assign(
    {},
    ...[timeZone, speakerType, cancelledSpeakers, fieldsB].map((option) => option(draw)),
  )
}
