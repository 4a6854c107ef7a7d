import { type RawBuilder, sql } from 'kysely'

const sixBytesOf = (hash: RawBuilder<unknown>) =>
  sql`('x' || encode(substring(${hash} from 1 for 6), 'hex'))::bit(48)::bigint`

/** Six bytes of a hash: few enough for a sum that every reader can hold, too many to agree by chance. */
export const checkOf = (hash: RawBuilder<unknown>) => sql<string>`coalesce(sum(${sixBytesOf(hash)}), 0)`

/** Six bytes of a hash over each item of which a condition holds, in numbers that both engines agree on. */
export const checkOfItem = (item: string, such: RawBuilder<unknown>) => {
  const hash = sql`sha256(convert_to(jsonb_build_array(${sql.ref(`${item}.unique_id`)}, ${sql.ref(`${item}.fields`)})::text, 'UTF8'))`
  return sql<string>`coalesce(sum(${sixBytesOf(hash)}) filter (where ${such}), 0)`
}
