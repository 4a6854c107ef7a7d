import { z } from 'zod'
import { CONTENTS } from '../../sql/tables.ts'
import {
  type ContentDeclaration,
  type DeclaredContent,
  content as declareContent,
  type Exclusion,
  type Lookup,
} from '../../transforms/declare/content.ts'
import type {
  ExclusionReason,
  Field,
  Origin,
  ReferenceIds,
  UniqueId,
} from '../../transforms/declare/field.ts'
import { functionSchema, mistakesIn } from '../settings/definition.ts'
import { must, section, text } from '../settings/values.ts'
import { column, resource } from './declaration.ts'

/**
 * Declares a content of a source of your own. A misspelt key of the declaration would have no effect, so the
 * declaration is checked first.
 *
 * @throws Error with all mistakes, each with its key; or if the declaration contradicts itself
 */
export function content<Options = unknown>(
  ...declaration: ContentDeclaration<Options>
): DeclaredContent<Options> {
  const [name, records, rest] = declaration
  const mistakes = mistakesIn(contentSchema, { ...rest, name, records })
  if (mistakes.length > 0) throw new Error(`content ${String(name)}: ${mistakes.join('; ')}`)
  return declareContent(...declaration)
}

const origin = section({ column: column(), key: z.string().optional() } satisfies Record<
  keyof Origin,
  z.ZodType
>)

const words = {
  why: text().optional(),
  todo: text().optional(),
  columns: z.array(column()).optional(),
} satisfies Record<keyof ExclusionReason, z.ZodType>

const keysOfField = {
  kind: z.string(),
  clause: text(),
  rule: text(),
  from: z.array(origin),
  also: z.array(origin),
  isMissing: functionSchema().optional(),
  missing: z
    .custom((value) => typeof value === 'function' || mistakesIn(section(words), value).length === 0, {
      error: ({ input }) => mistakesIn(section(words), input).join('; '),
    })
    .optional(),
  status: column().optional(),
  references: section({
    content: z.enum(CONTENTS),
    from: column().nullable(),
    namedBy: origin.optional(),
    compose: functionSchema().optional(),
  } satisfies Record<keyof ReferenceIds, z.ZodType>).optional(),
  value: functionSchema(),
} satisfies Record<keyof Field, z.ZodType>

const exclusion = section({
  reason: text(),
  isAttested: z.boolean().optional(),
  when: functionSchema(),
  explanation: functionSchema().optional(),
  ...words,
} satisfies Record<keyof Exclusion<never> | keyof ExclusionReason | 'explanation', z.ZodType>).refine(
  ({ explanation, why, todo, columns }) =>
    explanation !== undefined || (why !== undefined && todo !== undefined && columns !== undefined),
  { error: 'must have why, todo and columns, or an explanation' },
)

const ofAlias = must('1 to 20 of a-z, 0-9 and _, and begin with a letter')
const alias = () => z.string({ error: ofAlias }).regex(/^[a-z][a-z0-9_]{0,19}$/, { error: ofAlias })

const contentSchema = section({
  name: z.enum(CONTENTS),
  records: resource(),
  alias: alias(),
  uniqueId: section({ ...keysOfField, column: column() } satisfies Record<keyof UniqueId, z.ZodType>),
  unique: column().optional(),
  fields: z.record(z.string(), section({ ...keysOfField, isList: z.boolean().optional() })),
  lookups: z
    .record(
      alias(),
      section({
        resource: resource(),
        by: column(),
        dangling: z.string().optional(),
      } satisfies Record<keyof Lookup, z.ZodType>),
      { error: (issue) => (issue.code === 'invalid_key' ? ofAlias(issue) : undefined) },
    )
    .optional(),
  beside: z.array(resource()).optional(),
  exclude: z.array(exclusion).optional(),
  excludeLast: z.array(exclusion).optional(),
} satisfies Record<'name' | 'records' | keyof ContentDeclaration<never>[2], z.ZodType>)
