import { type RawBuilder, sql } from 'kysely'

interface Named {
  readonly form: string
}

/** A kind of condition of a rule. */
export interface ConditionKind<Condition extends Named = Named> {
  /** What it takes in event-sync.yaml: texts of which one must match, or true or false. */
  readonly takes: 'texts' | 'flag'
  /** When a field matches, as a sentence. */
  readonly says: string
  /** The condition of what it takes. */
  of(taken: unknown): Condition
  /** Whether the value of a field, as JSON, is as a condition of this kind asks. */
  matches(value: RawBuilder<unknown>, condition: Condition): RawBuilder<boolean>
}

export interface TextCondition<Name> {
  readonly form: Name
  readonly values: readonly string[]
}

/**
 * A condition that compares texts without regard to case; of a list, one element is enough.
 *
 * @param compare both texts are folded
 */
export function comparesTexts<Name extends string>(
  form: Name,
  says: string,
  compare: (text: RawBuilder<string>, wanted: RawBuilder<string>) => RawBuilder<boolean>,
) {
  return {
    takes: 'texts',
    says,
    of: (values: readonly string[]): TextCondition<Name> => ({ form, values }),
    matches: (value: RawBuilder<unknown>, { values }: TextCondition<Name>) =>
      sql<boolean>`exists (
    select from (
      select sync.fold_case(value #>> '{}') as text from jsonb_path_query(${value}, 'lax $[*]') as value
      offset 0
    ) as element
    where ${sql.join(
      values.map((text) => compare(sql`element.text`, sql`sync.fold_case(${text})`)),
      sql` or `,
    )}
  )`,
  } as const
}
