import type { Content } from '../../../sql/tables.ts'
import { judgeAnswers, type SourceWords } from '../../check/answers.ts'
import { fieldFindings, type MappedField } from '../../check/fields.ts'
import { type Finding, notCheckable, ok, type Rule } from '../../check/findings.ts'
import { type Answers, nounOf } from '../../check/reads.ts'
import { timeZoneFinding } from '../../check/time-zone.ts'
import { speakerFindings } from './check-speaker-type.ts'
import type { SourceBConfig } from './config.ts'

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
    rule: { id: 'event', sentence: 'the event ID leads to an event', clause: 'spec 2.5' },
    kept: 'the event ID is known',
    todo: 'compare source.eventId with the Event ID in the source account, and see that the API key belongs to it',
  },
  empty: (resource, rule) =>
    // That a type is missing is told by its own rule.
    resource === 'reg_types'
      ? ok(rule, 'the event has none')
      : notCheckable(rule, `no ${nounOf(resource)} came: the event seems to have none yet`),
}

/**
 * Judges what Source B gave against the set-up rules of its account.
 *
 * Source: spec 2.5 (rules), 2.6 to 2.8 (mapped fields).
 */
export function findingsOfB(
  source: SourceBConfig,
  contents: readonly Content[],
  answers: Answers,
): readonly Finding[] {
  const { findings, evidence } = judgeAnswers(WORDS, answers)
  return [
    ...findings,
    ...(contents.includes('speakers') ? speakerFindings(source.speakerRegistrantType.trim(), evidence) : []),
    ...fieldFindings(fieldsOf(source), contents, evidence),
    ...(contents.includes('agenda')
      ? [timeZoneFinding('sessions', 'spec 2.6', source.timeZone, evidence)]
      : []),
  ]
}

function fieldsOf({ fields }: SourceBConfig): readonly MappedField[] {
  const everybody = ['speakers', 'attendees'] as const
  const emailTodo =
    'name the field of a registrant that holds the e-mail address in source.fields.email, or see that registrants are asked for it'
  return [
    sessionField('name', 'name', true, 'give the sessions a name'),
    sessionField('start_time', 'start_time', true, 'give the sessions a date and a start time'),
    sessionField('end_time', 'end_time', true, 'give the sessions a date and an end time'),
    sessionField('description', 'description', false, 'give the sessions a description'),
    registrantField('first_name', 'first_name', everybody, []),
    registrantField('last_name', 'last_name', everybody, []),
    { ...registrantField('email', fields.email, ['attendees'], []), todo: emailTodo },
    registrantField('job_title', 'job_title', [], everybody),
    registrantField('company', 'company', [], everybody),
    registrantField('bio', 'bio', [], everybody),
    registrantField('mobile_phone', 'mobile_phone', [], ['attendees']),
    registrantField('twitter_handle', 'twitter_handle', [], ['speakers']),
    registrantField('session_ids', 'session_ids', [], everybody),
  ]
}

function sessionField(column: string, name: string, isRequired: boolean, todo: string): MappedField {
  const contents = ['agenda'] as const
  return {
    resource: 'sessions',
    column,
    name,
    clause: 'spec 2.6',
    sentence: `${name} of sessions comes`,
    requiredFor: isRequired ? contents : [],
    optionalFor: isRequired ? [] : contents,
    emptyMeans: 'either nobody filled it, or the API key may not read it',
    todo,
  }
}

function registrantField(
  column: string,
  name: string,
  requiredFor: readonly Content[],
  optionalFor: readonly Content[],
): MappedField {
  return {
    resource: 'registrants',
    column,
    name,
    clause: 'spec 2.7, 2.8',
    sentence: `${name} of registrants comes`,
    requiredFor,
    optionalFor,
    emptyMeans: 'either nobody filled it, or registrants are not asked for it',
    todo: `see that registrants are asked for ${name}, and that the API key may read it`,
  }
}
