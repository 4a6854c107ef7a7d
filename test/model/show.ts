import { isList, isNumber, isObject, type Json, render } from './json.ts'
import type { TrialDifference } from './trial.ts'

/** Most records that a difference is explained with. */
const MOST_RECORDS = 4

/** A difference for people: where, what was expected and what came, and the records that its ids occur in. */
export function showDifference({ run, path, expected, actual, source }: TrialDifference): string {
  const records = Object.entries(source.elements).flatMap(([resource, elements]) =>
    elements
      .filter(
        (element) => isObject(element) && idTexts(element).some((text) => ` ${path} `.includes(` ${text} `)),
      )
      .map((element) => `    ${resource}: ${render(element)}`),
  )
  return [
    `run ${run}: ${path}`,
    `  expected ${JSON.stringify(expected)}`,
    `  actual   ${JSON.stringify(actual)}`,
    ...records.slice(0, MOST_RECORDS),
  ].join('\n')
}

/** What a record could be named by. */
function idTexts(record: Json): readonly string[] {
  if (!isObject(record) || isList(record)) return []
  return record.members
    .filter(([key]) => ['id', 'emailaddress'].includes(key.toLowerCase()))
    .flatMap(([, value]) =>
      typeof value === 'string'
        ? [value.trim(), value.trim().toLowerCase()]
        : isNumber(value)
          ? [value.digits]
          : [],
    )
}
