import type { Content, CustomFields } from '../../../sql/tables.ts'
import { statedOffsetOfA } from '../../../transforms/rules/times.ts'
import { valueByKey } from '../../../transforms/rules/values.ts'
import { transformA } from '../../../transforms/source-a/index.ts'
import { authorizationOf, referencesOf } from '../contract/auth.ts'
import { judgeFields, judgeTimeZone, type MappedField, mappedFields } from '../contract/fields.ts'
import { readContextOf } from '../contract/read-record.ts'
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
  type SourceWords,
  whyNotRead,
} from '../contract/rule-result.ts'
import type { SourceType } from '../contract/source-type.ts'
import { judgeZones } from '../contract/zones.ts'
import { type SourceAConfig, shapeA, sourceA } from './source.ts'

/** Source A is an event-management system that is read anonymously or with credentials. */
export const sourceTypeA: SourceType<typeof shapeA> = {
  name: 'a',
  title: 'Source A',
  shape: shapeA,
  transform: transformA,
  secrets: [],
  referencesOf: ({ auth }) => referencesOf(auth),
  connect: (config, integrationId, context) =>
    sourceA(config, authorizationOf(config.auth, integrationId, context)),
  statedOffsets: (record) =>
    ['starttime', 'endtime'].flatMap((key) => statedOffsetOfA(valueByKey(record, key)) ?? []),
  judge: judgeA,
}

/** Pages in the user interface of Source A, which advice to users names. */
const PROFILE_FIELDS = 'Admin → Users → Profile Fields'
const SESSION_FIELDS = 'Admin → Sessions → Session Fields → Standard Fields'

const WORDS: SourceWords = {
  reader: 'the Anonymous role',
  access: {
    rule: { id: 'anonymous', sentence: 'an anonymous reader may read', clause: 'spec 5.1' },
    kept: 'records can be read without credentials',
    todo: `allow the Anonymous role to read through the API: ${PROFILE_FIELDS} and Admin → Sessions → Session Fields`,
  },
  event: {
    rule: { id: 'event', sentence: 'the version and the event exist', clause: 'spec 4, 9' },
    kept: 'the version and the event are known',
    todo: 'check source.eventId, then source.version and source.url',
  },
  empty: judgeEmpty,
}

const ACCOUNT = 'the account of source.auth'

/**
 * Texts about a source that is read with credentials. Only an answer of the source shows that it accepts the
 * credentials.
 */
const WORDS_WITH_AUTH: SourceWords = {
  ...WORDS,
  reader: ACCOUNT,
  asksElsewhere: true,
  access: {
    rule: { id: 'credentials', sentence: 'the source accepts the credentials of source.auth', clause: null },
    kept: 'the credentials of source.auth are accepted',
    todo: 'compare the secrets that source.auth names with those of the account, check its scope, and let that account read the event through the API',
  },
}

/** Compares the answers of Source A with the rules for setting up its account. */
function judgeA(
  source: SourceAConfig,
  contents: readonly Content[],
  answers: Answers,
  custom: CustomFields,
): readonly RuleResult[] {
  const words = source.auth === undefined ? WORDS : WORDS_WITH_AUTH
  const { results, evidence } = judgeAnswers(words, { ...answers, isAdmitted: false })
  const syncsAgenda = contents.includes('agenda')
  return [
    ...results,
    ...judgeFields(fieldsOf(source), contents, evidence),
    // If custom fields are configured, each custom field has its own rule instead.
    ...(syncsAgenda && Object.keys(custom.agenda ?? {}).length === 0 ? [CUSTOM_FIELDS] : []),
    ...(syncsAgenda
      ? [
          judgeTimeZone('time_slots', 'spec 2.2', source.timeZone, evidence),
          ...judgeZones('time_slots', source.timeZone, evidence),
        ]
      : []),
    ...(contents.includes('speakers') ? [judgeSpeakers(source, evidence)] : []),
  ]
}

function fieldsOf(config: SourceAConfig): readonly MappedField[] {
  return mappedFields(transformA, readContextOf(config), (resource, name, option) => ({
    clause: resource === 'users' || resource === 'sessions' ? 'spec 2.1' : 'spec 2.2',
    sentence: `${config.auth === undefined ? 'Anonymous' : ACCOUNT} sees ${name} of ${nounOf(resource)}`,
    emptyMeans:
      config.auth === undefined
        ? 'either nobody filled it in, or it is not set to View'
        : 'either nobody filled it in, or the account may not read it',
    todo: todoFor(config, resource, name) + (option === null ? '' : `, or name another field in ${option}`),
  }))
}

function todoFor({ auth }: SourceAConfig, resource: string, name: string): string {
  if (auth !== undefined) {
    return `fill in ${name} of the ${nounOf(resource)} in the source account, and let ${ACCOUNT} read it`
  }
  if (resource === 'users') return `${PROFILE_FIELDS}: set ${name} to View for Anonymous`
  if (resource === 'sessions')
    return `${SESSION_FIELDS}: set ${name} to View for Anonymous or Attendees/Anonymous`
  // The account of Source A has no setting for the visibility of the resources to which sessions refer.
  return `fill in ${name} of the ${nounOf(resource)} in the source account, and let Anonymous see it`
}

const CUSTOM_FIELDS: RuleResult = notCheckable(
  {
    id: 'sessions.PropertyValues',
    sentence: 'Anonymous sees the custom fields of sessions',
    clause: 'spec 2.1',
  },
  'no custom field is mapped, so the records do not show whether they are set to View',
  'Admin → Sessions → Session Fields → Custom Fields: check that every field is set to View for Anonymous or Attendees/Anonymous',
)

function judgeEmpty(resource: string, rule: Rule, evidence: Evidence): RuleResult {
  const noun = nounOf(resource)
  if (resource === 'users') {
    const seen = 'no user was returned, which cannot be right: an event has at least its creator'
    return failed(rule, seen, `${PROFILE_FIELDS}: set every row to View in the Anonymous column`)
  }
  if (resource === 'sessions') {
    const seen = 'no session was returned: the event has none yet, or Anonymous sees none'
    const todo = `if it has sessions: ${SESSION_FIELDS}: set every field to View for Anonymous or Attendees/Anonymous`
    return notCheckable(rule, seen, todo)
  }
  const sessions = countsOf(evidence, 'sessions')?.records ?? 0
  if (resource === 'time_slots' && sessions > 0) {
    const seen = `no time slot was returned, so none of ${sessions} sessions has a start and an end`
    return failed(rule, seen, 'give the sessions time slots, and let Anonymous see them')
  }
  return notCheckable(rule, `no ${noun} were returned: the event has none, or Anonymous sees none`)
}

function judgeSpeakers(source: SourceAConfig, evidence: Evidence): RuleResult {
  const rule: Rule = { id: 'speakers', sentence: 'there are speakers', clause: 'spec 2.3' }
  const [users, sessions] = [countsOf(evidence, 'users'), countsOf(evidence, 'sessions')]
  if (users === null || sessions === null)
    return notCheckable(rule, whyNotRead(evidence, 'sessions', 'users'))
  const naming = sessions.filled('speaker_ids')
  const named = users.filled('speaking_at')
  const withRole = users.filled('has_speaker_role')
  const listed = `${naming} of ${sessions.records} sessions name speakers, ${named} of ${users.records} users name sessions`
  const role = `${withRole} of ${users.records} users have the role Speaker`
  const seen = { listed, role, both: `${listed}; ${role}` }[source.speakers]
  const isListed = naming > 0 || named > 0
  const hasSpeakers = { listed: isListed, role: withRole > 0, both: isListed && withRole > 0 }
  if (hasSpeakers[source.speakers]) return ok(rule, seen)
  const todo = `if the event has speakers: ${SESSION_FIELDS}: set Speakers to View for Anonymous or Attendees/Anonymous, or change source.speakers`
  return notCheckable(rule, `${seen}: nobody is a speaker (source.speakers: ${source.speakers})`, todo)
}
