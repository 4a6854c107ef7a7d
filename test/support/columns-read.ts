import type { Content, Db } from '../../sql/tables.ts'
import { columnsRead } from '../../transforms/declare/columns-read.ts'
import type { AnyTransform } from '../../transforms/declare/source.ts'
import { INTEGRATION } from './staged.ts'

/** The options of a source if the configuration sets no option. */
const DEFAULTS = {
  speakers: 'listed',
  includeHidden: false,
  includePending: false,
  oneToOneTypes: ['1:1 Meeting'],
  locationSeparator: ' - ',
  speakerRegistrantType: 'Speaker',
  cancelledSpeakers: 'keep',
  fields: {},
}

/**
 * Lists the columns that the contents of a source read, with its default options and with the given options.
 */
export function readOf(db: Db, transform: AnyTransform, contents: readonly Content[], options: object = {}) {
  const all = { ...DEFAULTS, ...options }
  return transform.contents
    .filter(({ content }) => contents.includes(content))
    .map((content) => columnsRead(db, content, { integrationId: INTEGRATION, options: all as never }))
}
