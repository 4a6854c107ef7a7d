/**
 * Entry `event-content-sync/source` of the package: functions that declare a source.
 * pipeline/sources/README.md has an example.
 */
import './require-node.ts'

export { sql } from 'kysely'
export { z } from 'zod'
export { badTime } from '../../transforms/declare/bad-time.ts'
export {
  type Column,
  column,
  flag,
  folded,
  id,
  ids,
  type KeyOption,
  option,
  type ReadContext,
  readBy,
  type StagedValue,
  socialUrl,
  staged,
  text,
  time,
  url,
} from '../../transforms/declare/column.ts'
export type { Exclusion, Lookup } from '../../transforms/declare/content.ts'
export type { ExclusionReason, StagedRecords } from '../../transforms/declare/field.ts'
export {
  computed,
  counterpart,
  type Field,
  HTML,
  instant,
  optional,
  references,
  required,
  uniqueId,
} from '../../transforms/declare/field.ts'
export type { RecordContext } from '../../transforms/declare/resource.ts'
export { EXACT_KEYS, type Keys, type Resource, resource } from '../../transforms/declare/resource.ts'
export { addressKey } from '../../transforms/rules/addresses.ts'
export { readTimeOfA as readTime, type Time } from '../../transforms/rules/times.ts'
export { readSocialUrl, readTwitter, readUrl } from '../../transforms/rules/urls.ts'
export type { Json, JsonObject } from '../../transforms/rules/values.ts'
export { readText } from '../../transforms/rules/values.ts'
export { ReadError } from '../http/read-error.ts'
export { secretReference as secret } from '../settings/values.ts'
export {
  type Ending,
  type Page,
  type PageCursor,
  type ReadPage,
  type Search,
  SourceMovedError,
  type SourceResource,
  UnfitChangesError,
  UnprovedError,
} from '../sources/contract/source.ts'
export { content } from '../sources/declare-content.ts'
export {
  defineSource,
  type Reader,
  type SourceConfig,
  type SourceDefinition,
} from '../sources/define-source.ts'
