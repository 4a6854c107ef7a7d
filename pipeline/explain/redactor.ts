import type { Content } from '../../sql/tables.ts'
import { mapTexts } from '../../transforms/declare/field-values.ts'
import type { StagedColumn } from '../../transforms/declare/source-lineage.ts'
import type { AnyTransform } from '../../transforms/declare/source-transform.ts'
import { isPersonalColumn } from '../../transforms/registry/lineage.ts'
import type { Json } from '../../transforms/rules/json.ts'
import { HIDDEN, isAddress, isPersonal } from '../text/personal.ts'
import type { Value } from './explanation.ts'

/** Puts `(hidden)` in the place of values of people, wherever they are. */
export interface Redactor {
  id(text: string): string
  /** Of a platform field. */
  value(content: Content, field: string, value: Value | null): Value | null
  /** Of a record as received. */
  raw(column: StagedColumn, value: Json): Json
}

/** @param personalIds ids of records that are e-mail addresses, whatever they look like */
export function redactorOf(
  source: AnyTransform,
  showPersonal: boolean,
  personalIds: ReadonlySet<string>,
): Redactor {
  if (showPersonal) return { id: (text) => text, value: (_, __, value) => value, raw: (_, value) => value }
  const id = (text: string) => (isAddress(text) || personalIds.has(text) ? HIDDEN : text)
  return {
    id,
    value(content, field, value) {
      const one = (text: string) => {
        if (field === 'uniqueId') return id(text)
        return isPersonal({ content }, field, text) ? HIDDEN : id(text)
      }
      return value && mapTexts(value, one)
    },
    raw(column, value) {
      if (isPersonalColumn(source, column)) return HIDDEN
      const isHidden = ID_COLUMNS.test(column[1]) && typeof value === 'string' && id(value) === HIDDEN
      return isHidden ? HIDDEN : value
    },
  }
}

const ID_COLUMNS = /(?:^|_)id$/
