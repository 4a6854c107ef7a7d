import type { Content, Db } from '../../sql/tables.ts'
import { tableOf } from '../../transforms/decide/lineage.ts'
import { addressIn, lacksOwnId, nameIn } from '../../transforms/decide/record-names.ts'
import { asAny } from '../../transforms/declare/resource.ts'
import type { AnyTransform } from '../../transforms/declare/source.ts'
import { wordsIn } from '../../transforms/rules/names.ts'
import { readPages } from '../ledger/pages.ts'

const PAGE = 1000

/** A staged record, with the name of its person or the title of its session. */
export interface NamedRecord {
  readonly id: string
  readonly name: string | null
  /**
   * True if the source gave the person no id. If the source gave no id, `id` is a spelling of the e-mail
   * address.
   */
  readonly lacksOwnId: boolean
  /** E-mail address of the person; null if the person has no address. */
  readonly address: string | null
}

/**
 * Finds the records of a content whose name or title contains all of the given words. Only the newest version
 * of a record is searched, because an earlier name under the same id may be the name of another person.
 *
 * @param words words of the name, as the function `wordsIn` returns them
 */
export async function findNamed(
  db: Db,
  integrationId: string,
  transform: AnyTransform,
  content: Content,
  words: ReadonlySet<string>,
): Promise<readonly NamedRecord[]> {
  const read = (after: string) =>
    newest(db, integrationId, transform, content).where('record.source_id', '>', after).limit(PAGE).execute()
  const found: NamedRecord[] = []
  for await (const page of readPages('', PAGE, read, ({ id }) => id))
    found.push(...page.filter(({ name }) => name !== null && words.isSubsetOf(wordsIn(name))))
  return found
}

/** Finds the names of the records with the given ids in a content. */
export function findNames(
  db: Db,
  integrationId: string,
  transform: AnyTransform,
  content: Content,
  ids: readonly string[],
): Promise<readonly NamedRecord[]> {
  return newest(db, integrationId, transform, content)
    .where('record.source_id', 'in', [...ids])
    .execute()
}

function newest(db: Db, integrationId: string, transform: AnyTransform, content: Content) {
  return db
    .selectFrom(`${asAny(tableOf(transform, content))} as record`)
    .where('record.integration_id', '=', integrationId)
    .distinctOn('record.source_id')
    .orderBy('record.source_id')
    .orderBy('record.valid_from_run', 'desc')
    .select([
      'record.source_id as id',
      nameIn(transform, content).as('name'),
      lacksOwnId(transform, content).as('lacksOwnId'),
      addressIn(transform, content).as('address'),
    ])
}
