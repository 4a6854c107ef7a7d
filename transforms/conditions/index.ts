import type { RawBuilder } from 'kysely'
import type { ConditionKind } from './condition.ts'
import { contains } from './contains.ts'
import { endsWith } from './ends-with.ts'
import { is } from './is.ts'
import { missing } from './missing.ts'
import { startsWith } from './starts-with.ts'

type Kinds = Readonly<Record<string, ConditionKind>>

/** Conditions that event-sync.yaml names, as in `{contains: a}`. */
const NAMED = { contains, startsWith, endsWith, missing } satisfies Kinds
const ALL = { is, ...NAMED } satisfies Kinds

/** What a field of a rule must be. */
export type Condition = ReturnType<(typeof ALL)[keyof typeof ALL]['of']>

export const NAMED_CONDITIONS: ReadonlyMap<string, ConditionKind<Condition>> = new Map(Object.entries(NAMED))

/** Whether the value of a field, as JSON, is as a condition asks. */
export function matches(value: RawBuilder<unknown>, condition: Condition): RawBuilder<boolean> {
  const kind: ConditionKind<Condition> = ALL[condition.form]
  return kind.matches(value, condition)
}
