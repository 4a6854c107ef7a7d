import type { Content } from '../../../sql/tables.ts'
import { transformB } from '../../../transforms/source-b/index.ts'
import { judgeAnswers, type SourceWords } from '../contract/answers.ts'
import { mappedFields } from '../contract/declared-fields.ts'
import { fieldFindings, type MappedField } from '../contract/fields.ts'
import { type Finding, notCheckable, ok, type Rule } from '../contract/findings.ts'
import { readContextOf } from '../contract/read-record.ts'
import { type Answers, nounOf } from '../contract/reads.ts'
import { timeZoneFinding } from '../contract/time-zone.ts'
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
    // A missing type has a rule of its own.
    resource === 'reg_types'
      ? ok(rule, 'the event has none')
      : notCheckable(rule, `no ${nounOf(resource)} came: the event seems to have none yet`),
}

/** Judges what Source B gave against the set-up rules of its account. */
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

function fieldsOf(source: SourceBConfig): readonly MappedField[] {
  return mappedFields(transformB, readContextOf(source), (resource, name, option) => {
    const isSession = resource === 'sessions'
    const other = option === null ? '' : `name the field that holds it in ${option}, or `
    return {
      clause: isSession ? 'spec 2.6' : 'spec 2.7, 2.8',
      sentence: `${name} of ${nounOf(resource)} comes`,
      emptyMeans: isSession
        ? 'either nobody filled it, or the API key may not read it'
        : 'either nobody filled it, or registrants are not asked for it',
      todo: isSession
        ? `see that the sessions have a ${name}, and that the API key may read it`
        : `${other}see that registrants are asked for ${name}, and that the API key may read it`,
    }
  })
}
