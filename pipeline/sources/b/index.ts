import type { IncomingRow } from '../../../loaders/staging/incoming.ts'
import type { Content } from '../../../sql/tables.ts'
import { findMissingSpeakerType } from '../../../transforms/guards/speaker-type.ts'
import { statedOffset } from '../../../transforms/rules/times.ts'
import { transformB } from '../../../transforms/source-b/index.ts'
import { NOT_THE_API } from '../../http/read-error.ts'
import { accountHash, resolveSecret } from '../../settings/secrets.ts'
import { judgeFields, judgeTimeZone, type MappedField, mappedFields } from '../contract/fields.ts'
import { readContextOf } from '../contract/read-record.ts'
import { hintFor } from '../contract/require-ok.ts'
import {
  type Answers,
  countsOf,
  type Evidence,
  failed,
  judgeAnswers,
  notCheckable,
  nounOf,
  ok,
  type Rule,
  type RuleResult,
  recordsOf,
  type SourceWords,
  whyNotRead,
} from '../contract/rule-result.ts'
import type { SourceResource } from '../contract/source.ts'
import type { SourceType } from '../contract/source-type.ts'
import { tokenSource } from '../contract/token.ts'
import { judgeZones } from '../contract/zones.ts'
import { type SourceBConfig, shapeB, sourceB, urlOfB } from './source.ts'

/**
 * Source B is a registration system. The API key and the secret of Source B are exchanged for a token, with
 * which the source is read.
 */
export const sourceTypeB: SourceType<typeof shapeB> = {
  name: 'b',
  title: 'Source B',
  shape: shapeB,
  transform: transformB,
  secrets: ['apiKey', 'authenticationSecret'],
  givesOnlyAskedKeys: true,
  connect(config, integrationId, context) {
    const secret = (key: 'apiKey' | 'authenticationSecret') =>
      resolveSecret(config[key], context.secrets, `source.${key} of ${integrationId}`)
    const [clientId, clientSecret] = [secret('apiKey'), secret('authenticationSecret')]
    const url = urlOfB(config, 'oauth2/token.json')
    const tokens = tokenSource({ ...TOKEN_ENDPOINT, url, clientId, clientSecret }, context)
    return sourceB(config, accountHash([clientId, clientSecret]), tokens)
  },
  sourceGuard: async (transaction, { integrationId, contents, options }) =>
    contents.includes('speakers')
      ? findMissingSpeakerType(transaction, integrationId, options.speakerRegistrantType)
      : null,
  tally: tallyTypes,
  statedOffsets: ({ date, start_time, end_time }) =>
    [start_time, end_time].flatMap((time) => statedOffset(`${date}T${time}`) ?? []),
  judge: judgeB,
}

/**
 * The endpoint at which Source B issues tokens. The endpoint accepts the key and the secret only in a header.
 */
export const TOKEN_ENDPOINT = {
  addressKey: 'source.url',
  lifetime: 'expires_at',
  takesPost: false,
  hintFor,
  notToken: NOT_THE_API,
} as const

const CREDENTIALS: Rule = {
  id: 'credentials',
  sentence: 'the source accepts API key and authentication secret',
  clause: 'spec 2.5',
}

const WORDS: SourceWords = {
  reader: 'the API key',
  access: {
    rule: CREDENTIALS,
    kept: 'API key and authentication secret are accepted',
    todo: 'compare the secrets of source.apiKey and source.authenticationSecret with API Key and Authentication Secret in the source account',
  },
  event: {
    rule: { id: 'event', sentence: 'the event exists', clause: 'spec 2.5' },
    kept: 'the event ID is known',
    todo: 'compare source.eventId with the Event ID in the source account, and check that the API key belongs to it',
  },
  empty: (resource, rule) =>
    // If no registrant type for speakers is found, a separate rule reports this.
    resource === 'reg_types'
      ? ok(rule, 'the event has none')
      : notCheckable(rule, `no ${nounOf(resource)} were returned: the event seems to have none yet`),
}

/** Compares the answers of Source B with the rules for setting up its account. */
function judgeB(
  source: SourceBConfig,
  contents: readonly Content[],
  answers: Answers,
): readonly RuleResult[] {
  const { results, evidence } = judgeAnswers(WORDS, answers)
  return [
    ...results,
    ...(contents.includes('speakers') ? judgeSpeakers(source.speakerRegistrantType.trim(), evidence) : []),
    ...judgeFields(fieldsOf(source), contents, evidence),
    ...(contents.includes('agenda')
      ? [
          judgeTimeZone('sessions', 'spec 2.6', source.timeZone, evidence),
          ...judgeZones('sessions', source.timeZone, evidence),
        ]
      : []),
  ]
}

function fieldsOf(source: SourceBConfig): readonly MappedField[] {
  return mappedFields(transformB, readContextOf(source), (resource, name, option) => {
    const isSession = resource === 'sessions'
    const other = option === null ? '' : `name the field that holds it in ${option}, or `
    return {
      clause: isSession ? 'spec 2.6' : 'spec 2.7, 2.8',
      sentence: `${name} of ${nounOf(resource)} is returned`,
      emptyMeans: isSession
        ? 'either nobody filled it in, or the API key may not read it'
        : 'either nobody filled it in, or registrants are not asked for it',
      todo: isSession
        ? `check that the sessions have a ${name}, and that the API key may read it`
        : `${other}check that registrants are asked for ${name}, and that the API key may read it`,
    }
  })
}

const SPEAKER_TYPE: Rule = {
  id: 'speakerType',
  sentence: 'the registrant type of speakers exists',
  clause: 'spec 2.5',
}
const SPEAKERS: Rule = { id: 'speakers', sentence: 'registrants have chosen it', clause: 'spec 2.5' }

/**
 * The key by which registrants and registrant types are counted. The key consists of the id, the name and the
 * normalised name of the registrant type.
 */
type TypeKey = readonly [id: string | null, value: string | null, folded: string | null]

/**
 * Returns the function by which registrants and registrant types are counted; undefined for any other
 * resource.
 */
function tallyTypes({ name, columns }: SourceResource): ((row: IncomingRow) => string | null) | undefined {
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
 * Checks that the registrant type of speakers exists, and that some registrants have it.
 *
 * @param wanted name or id of the type, as configured
 */
function judgeSpeakers(wanted: string, evidence: Evidence): readonly RuleResult[] {
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
    const other = isDefault ? 'the one that speakers choose' : 'the name or id of an existing one'
    const todo = `Event Setup → Registrant Types: create a Registrant Type with the value "${isDefault ? 'Speaker' : wanted}", or set source.speakerRegistrantType to ${other}`
    const seen = `none of ${recordsOf(types.length, 'reg_types')} has the name or id "${wanted}", so nobody is a speaker`
    return [failed(SPEAKER_TYPE, seen, todo), notCheckable(SPEAKERS, 'the registrant type does not exist')]
  }
  const seen = isThere ? `one of ${types.length}` : 'not in the list of types, but registrants have it'
  const chosen = `${speakers} of ${recordsOf(registrants.records, 'registrants')} have it`
  const todo = 'make sure that speakers choose it when they register'
  return [
    ok(SPEAKER_TYPE, `"${wanted}" is ${seen}`),
    speakers > 0 ? ok(SPEAKERS, chosen) : notCheckable(SPEAKERS, `${chosen}: nobody is a speaker yet`, todo),
  ]
}
