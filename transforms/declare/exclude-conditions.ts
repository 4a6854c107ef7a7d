import { type RawBuilder, sql } from 'kysely'
import { addressForms, domainForms } from '../rules/addresses.ts'

interface Named {
  readonly form: string
}

/** A kind of condition that a rule of `exclude` can have, such as `contains`. */
interface ConditionKind<Condition extends Named = Named> {
  /**
   * Type of the condition's value in event-sync.yaml. With `texts`, one of the texts must match; `flag` is
   * true or false.
   */
  readonly takes: 'texts' | 'flag'
  /** A sentence for users that says when a field meets the condition. */
  readonly says: string
  /** Makes the condition from the value that event-sync.yaml gives. */
  of(taken: unknown): Condition
  /** Makes SQL that is true if a field's value (as JSON) meets a condition of this kind. */
  matches(value: RawBuilder<unknown>, condition: Condition, field: string): RawBuilder<boolean>
}

export interface TextCondition<Name> {
  readonly form: Name
  readonly values: readonly string[]
}

export interface Missing {
  readonly form: 'missing'
  readonly isMissing: boolean
}

/** Conditions that have a name in event-sync.yaml, as in `{contains: a}`. */
const NAMED = {
  contains: comparesTexts(
    'contains',
    'One of these is in the field.',
    isOneOf((text, wanted) => sql`strpos(${text}, ${wanted}) > 0`),
  ),
  startsWith: comparesTexts(
    'startsWith',
    'The field begins with one of these.',
    isOneOf((text, wanted) => sql`starts_with(${text}, ${wanted})`),
  ),
  endsWith: comparesTexts(
    'endsWith',
    'The field ends with one of these.',
    isOneOf((text, wanted) => sql`right(${text}, char_length(${wanted})) = ${wanted}`),
  ),
  missing: {
    takes: 'flag',
    says: 'Whether the field has no value.',
    of: (isMissing: boolean): Missing => ({ form: 'missing', isMissing }),
    matches: (value: RawBuilder<unknown>, { isMissing }: Missing) =>
      isMissing ? sql<boolean>`(${value}) is null` : sql<boolean>`(${value}) is not null`,
  },
} satisfies Readonly<Record<string, ConditionKind>>

const ALL = {
  /**
   * The condition of a rule that states only a value or a list of values, without the name of a condition.
   */
  is: comparesTexts('is', 'The field is one of these.', (text, all) => sql`${text} = any(${all})`),
  ...NAMED,
}

/** The condition of a rule on one field. */
export type Condition = ReturnType<(typeof ALL)[keyof typeof ALL]['of']>

export const NAMED_CONDITIONS: ReadonlyMap<string, ConditionKind<Condition>> = new Map(Object.entries(NAMED))

/** Makes SQL that is true if a field's value (as JSON) meets a condition. */
export function matches(
  value: RawBuilder<unknown>,
  condition: Condition,
  field: string,
): RawBuilder<boolean> {
  const kind: ConditionKind<Condition> = ALL[condition.form]
  return kind.matches(value, condition, field)
}

/**
 * Returns all forms of a text in a rule that mean the same. An e-mail address or its domain, for example, has
 * several forms.
 */
function formsOf(field: string, wanted: string): readonly string[] {
  const isWhole = wanted.includes('@')
  if (field === 'uniqueId') return isWhole ? [wanted, ...addressForms(wanted)] : [wanted]
  if (field !== ADDRESS) return [wanted]
  return [wanted.normalize('NFC'), ...(isWhole ? addressForms(wanted) : domainForms(wanted))]
}

const ADDRESS = 'emailAddress'

/** Makes SQL that is true if a text matches at least one of the rule's texts. */
type Compare = (text: RawBuilder<string>, all: RawBuilder<readonly string[]>) => RawBuilder<boolean>

function isOneOf(
  compare: (text: RawBuilder<string>, wanted: RawBuilder<string>) => RawBuilder<boolean>,
): Compare {
  return (text, all) =>
    sql`exists (select from unnest(${all}) as wanted (text) where ${compare(text, sql`wanted.text`)})`
}

/**
 * Makes a kind of condition that compares texts and ignores case. A list meets the condition if at least one
 * of its elements does.
 *
 * @param compare makes the SQL of the comparison; all texts are already case-folded
 */
function comparesTexts<Name extends string>(form: Name, says: string, compare: Compare) {
  return {
    takes: 'texts',
    says,
    of: (values: readonly string[]): TextCondition<Name> => ({ form, values }),
    matches(value: RawBuilder<unknown>, { values }: TextCondition<Name>, field: string) {
      const forms = [...new Set(values.flatMap((wanted) => formsOf(field, wanted)))]
      const text = field === ADDRESS ? sql`normalize(value #>> '{}')` : sql`value #>> '{}'`
      // All texts of the rule are passed as one parameter, so they are case-folded only once. A rule may have
      // thousands of texts, but a PostgreSQL statement can have at most 65,535 parameters.
      const all = sql<readonly string[]>`(
      select array_agg(sync.fold_case(wanted)) from jsonb_array_elements_text(${JSON.stringify(forms)}::jsonb) as wanted
    )::text[]`
      return sql<boolean>`exists (
    select from (
      select sync.fold_case(${text}) as text from jsonb_path_query(${value}, 'lax $[*]') as value
      offset 0
    ) as element
    where ${compare(sql`element.text`, all)}
  )`
    },
  } as const
}
