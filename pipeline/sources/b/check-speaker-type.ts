import type { IncomingRow } from '../../../loaders/staging/incoming.ts'
import { type Finding, failed, notCheckable, ok, type Rule } from '../contract/findings.ts'
import { counted, countsOf, type Evidence, whyNotRead } from '../contract/reads.ts'
import type { Resource } from '../contract/source.ts'

const SPEAKER_TYPE: Rule = {
  id: 'speakerType',
  sentence: 'the registrant type of speakers is there',
  clause: 'spec 2.5',
}
const SPEAKERS: Rule = { id: 'speakers', sentence: 'registrants have chosen it', clause: 'spec 2.5' }

/** What a type or a registrant is counted as: id, own name and folded name or bare text of a registrant type. */
type TypeKey = readonly [id: string | null, value: string | null, folded: string | null]

/** Makes the tally of registrants, or of types, by registrant type; null for another resource. */
export function tallyTypes({ name, columns }: Resource): ((row: IncomingRow) => string | null) | undefined {
  const cell = (row: IncomingRow, column: string) => row.values[columns.indexOf(column)] ?? null
  if (name === 'reg_types') return (row) => JSON.stringify([row.sourceId, null, cell(row, 'name_folded')])
  if (name !== 'registrants') return undefined
  return (row) =>
    JSON.stringify(['reg_type_id', 'reg_type_value', 'reg_type_folded'].map((column) => cell(row, column)))
}

function typesOf(
  evidence: Evidence,
  resource: string,
): readonly { readonly key: TypeKey; readonly count: number }[] {
  const tally = countsOf(evidence, resource)?.tally ?? new Map<string, number>()
  return [...tally].map(([key, count]) => ({ key: JSON.parse(key), count }))
}

/**
 * Says whether the registrant type of speakers is there, and whether registrants have it.
 *
 * @param wanted name or id of the type, as configured
 */
export function speakerFindings(wanted: string, evidence: Evidence): readonly Finding[] {
  const registrants = countsOf(evidence, 'registrants')
  if (countsOf(evidence, 'reg_types') === null || registrants === null) {
    return [SPEAKER_TYPE, SPEAKERS].map((rule) =>
      notCheckable(rule, whyNotRead(evidence, 'reg_types', 'registrants')),
    )
  }
  const types = typesOf(evidence, 'reg_types')
  const nameOf = new Map(types.map(({ key: [id, , folded] }) => [id, folded]))
  const folded = wanted.toLowerCase()
  const isThere = types.some(({ key: [id, , name] }) => name === folded || id === wanted)
  const speakers = typesOf(evidence, 'registrants')
    .filter(({ key: [id, value, own] }) => {
      const name = value === null ? (nameOf.get(id) ?? own) : own
      return name === folded || id === wanted
    })
    .reduce((sum, { count }) => sum + count, 0)
  if (!isThere && speakers === 0) {
    const isDefault = folded === 'speaker'
    const other = isDefault ? 'the one that speakers choose' : 'the name or id of one that is there'
    const todo = `Event Setup → Registrant Types: create a Registrant Type with the value "${isDefault ? 'Speaker' : wanted}", or set source.speakerRegistrantType to ${other}`
    const seen = `of ${counted(types.length, 'reg_types')} none is named "${wanted}" or has it as its id, so nobody is a speaker`
    return [failed(SPEAKER_TYPE, seen, todo), notCheckable(SPEAKERS, 'the registrant type is not there')]
  }
  const seen = isThere ? `one of ${types.length}` : 'not in the list of types, but registrants have it'
  const chosen = `${speakers} of ${counted(registrants.records, 'registrants')} have it`
  const todo = 'see that speakers choose it when they register'
  return [
    ok(SPEAKER_TYPE, `"${wanted}" is ${seen}`),
    speakers > 0 ? ok(SPEAKERS, chosen) : notCheckable(SPEAKERS, `${chosen}: nobody is a speaker yet`, todo),
  ]
}
