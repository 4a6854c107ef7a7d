import { findNamed, findNames, type NamedRecord } from '../../loaders/people/named.ts'
import { findIdsByAddress, type Sought } from '../../loaders/people/person.ts'
import type { Content, Db } from '../../sql/tables.ts'
import { addressKey } from '../../transforms/rules/addresses.ts'
import { isPersonalId } from '../../transforms/rules/personal-ids.ts'
import type { IntegrationConfig } from '../config/config.ts'
import { sourceBindingOf } from '../context/suppression.ts'
import { HIDDEN } from '../runtime/personal.ts'
import { quoted, word } from '../runtime/visible.ts'
import { sourceTypeOf } from '../sources/registry.ts'

/**
 * How a user names one person or session: by its id, by an e-mail address, or by words of its name or title.
 */
export type SoughtItem = Sought | SoughtBy

/** How a user names people or sessions without an id. */
export type SoughtBy = { readonly address: string } | { readonly words: ReadonlySet<string> }

/** Maximum number of records that an error message lists. */
const LISTED = 20

/**
 * Returns the ids of the one item that the user means. Several ids are returned if the source had records of
 * the person with and without an id. The person's own id is then the first.
 *
 * @throws Error if no item or more than one item has the address or the words
 */
export async function findOne(
  db: Db,
  integration: IntegrationConfig,
  content: Content,
  sought: SoughtItem,
  showPersonal: boolean,
): Promise<readonly [string, ...string[]]> {
  if ('id' in sought) return [sought.id]
  const { transform } = sourceTypeOf(integration.source)
  if ('words' in sought) {
    const found = await findNamed(db, integration.id, transform, content, sought.words)
    const [one] = found
    if (one === undefined) throw new Error(`${integration.id}: ${nothingNamed(content)}; ${WHOLE_WORDS}`)
    if (found.length === 1) return [one.id]
    const what =
      content === 'agenda' ? 'sessions were read with that title' : 'people were read with that name'
    throw new Error(describeSeveral(integration, content, found, what, showPersonal))
  }
  const { people } = transform
  const ids = await findIdsByAddress(db, sourceBindingOf(integration), people, sought.address)
  const isOwn = (id: string) => addressKey(id) !== sought.address
  const own = ids.filter(isOwn)
  const [first, ...others] = [...own, ...ids.filter((id) => !isOwn(id))]
  if (first === undefined)
    throw new Error(`${integration.id}: nobody was read with that address; give the unique ID of the person`)
  if (own.length < 2) return [first, ...others]
  const named = new Map(
    (await findNames(db, integration.id, transform, content, own)).map((record) => [record.id, record]),
  )
  const records = own.map((id) => named.get(id) ?? { id, name: null, lacksOwnId: false, address: null })
  const what = 'people were read with that address'
  throw new Error(describeSeveral(integration, content, records, what, showPersonal))
}

/** The records that the user named. */
export interface SoughtRecords {
  /** Returns true if the user named the record that has this content, and this id in the source. */
  readonly has: (content: Content, id: string | null) => boolean
  /** Ids of the records by content. */
  readonly ids: ReadonlyMap<Content, ReadonlySet<string>>
}

/**
 * Finds all records that the user named, in every content.
 *
 * For a record that could not be read, the database has no name and no address. A record that cannot be read
 * is found by its id if an earlier version could be read.
 *
 * @throws Error if no record with the address or the words was ever read
 */
export async function findAll(
  db: Db,
  integration: IntegrationConfig,
  sought: SoughtBy,
): Promise<SoughtRecords> {
  const { transform } = sourceTypeOf(integration.source)
  const ids = new Map<Content, ReadonlySet<string>>()
  const found = {
    ids,
    has: (content: Content, id: string | null) => id !== null && ids.get(content)?.has(id) === true,
  }
  if ('words' in sought) {
    for (const { content } of transform.contents) {
      const named = await findNamed(db, integration.id, transform, content, sought.words)
      ids.set(content, new Set(named.map(({ id }) => id)))
    }
    if ([...ids.values()].every(({ size }) => size === 0))
      throw new Error(`${integration.id}: nobody and no session was read with that name; ${WHOLE_WORDS}`)
    return found
  }
  const known = await findIdsByAddress(db, sourceBindingOf(integration), transform.people, sought.address)
  if (known.length === 0)
    throw new Error(
      `${integration.id}: nobody was read with that address; a record that could never be read is known only by its id`,
    )
  for (const { content } of transform.contents) if (content !== 'agenda') ids.set(content, new Set(known))
  return found
}

const WHOLE_WORDS = 'give whole words, in any order, or the unique ID'

function nothingNamed(content: Content): string {
  return content === 'agenda' ? 'no session was read with that title' : 'nobody was read with that name'
}

function describeSeveral(
  { id: integrationId }: IntegrationConfig,
  content: Content,
  found: readonly NamedRecord[],
  what: string,
  showPersonal: boolean,
): string {
  const lines = found.slice(0, LISTED).map(({ id, name, lacksOwnId, address }) => {
    const isHidden = !showPersonal && isPersonalId(id, { lacksOwnId, addresses: [address] })
    const isNamed = name !== null && (showPersonal || content === 'agenda')
    return `  ${content} ${isHidden ? HIDDEN : word(id)}${isNamed ? ` ${quoted(name)}` : ''}`
  })
  const more = found.length > LISTED ? [`  … ${found.length - LISTED} more`] : []
  const todo = 'give the unique ID of one, or more words of the name'
  return [`${integrationId}: ${found.length} ${what}; ${todo}:`, ...lines, ...more].join('\n')
}
