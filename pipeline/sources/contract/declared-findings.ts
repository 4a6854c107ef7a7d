import type { Content } from '../../../sql/tables.ts'
import type { AnyTransform } from '../../../transforms/declare/source-transform.ts'
import { judgeAnswers, type SourceWords } from './answers.ts'
import { mappedFields } from './declared-fields.ts'
import { fieldFindings } from './fields.ts'
import { type Finding, notCheckable } from './findings.ts'
import { type ReadConfig, readContextOf } from './read-record.ts'
import { type Answers, nounOf } from './reads.ts'
import { timeZoneFinding } from './time-zone.ts'

const WORDS: SourceWords = {
  reader: 'the reader',
  access: {
    rule: { id: 'access', sentence: 'the source lets the integration read', clause: null },
    kept: 'records come',
    todo: 'compare the credentials of the integration, if it needs any, with those of the source',
  },
  event: {
    rule: { id: 'event', sentence: 'the event is there', clause: null },
    kept: 'the event is known',
    todo: 'check source.eventId, then source.url',
  },
  empty: (resource, rule) =>
    notCheckable(rule, `no ${nounOf(resource)} came: the event seems to have none yet`),
}

/** Judges what a source gave by its declaration alone. */
export function declaredFindings(
  { title, transform }: { readonly title: string; readonly transform: AnyTransform },
  config: ReadConfig,
  contents: readonly Content[],
  answers: Answers,
): readonly Finding[] {
  const { findings, evidence } = judgeAnswers(WORDS, answers)
  const fields = mappedFields(transform, readContextOf(config), (resource, name) => ({
    clause: null,
    sentence: `${name} of ${nounOf(resource)} comes`,
    emptyMeans: 'nobody filled it, or this reader may not see it',
    todo: `see in ${title} that ${nounOf(resource)} have ${name}, and that this reader may see it`,
  }))
  const withTimes = transform.resources.filter(({ columns }) => 'start_time_status' in columns)
  return [
    ...findings,
    ...fieldFindings(fields, contents, evidence),
    ...(contents.includes('agenda') ? withTimes : []).map(({ name }) =>
      timeZoneFinding(name, null, config.timeZone, evidence),
    ),
  ]
}
