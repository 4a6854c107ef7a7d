import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Database } from '../../sql/database.ts'

/**
 * Texts that occur only in the person's data. The first text is plain. The second text has letters that are
 * often escaped. The third text has characters that every format escapes differently.
 */
export const CANARIES = ['zyxomma', 'Ýzýxý', '"zy\\x"<&>'] as const

/**
 * Returns the byte sequences by which a text can be written: unchanged, and as file formats, URLs and other
 * encodings write the text.
 */
function formsOf(text: string): readonly string[] {
  const inJson = JSON.stringify(text).slice(1, -1)
  const escaped = (make: (code: number) => string) =>
    text.replace(/[^ -~]/g, (one) => make(one.charCodeAt(0)))
  const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0')
  const utf8 = Buffer.from(text)
  return [
    utf8.toString('latin1'),
    Buffer.from(text, 'utf16le').toString('latin1'),
    Buffer.from(text.normalize('NFD')).toString('latin1'),
    text,
    Buffer.from(inJson).toString('latin1'),
    // JSON within JSON.
    Buffer.from(JSON.stringify(inJson).slice(1, -1)).toString('latin1'),
    escaped((code) => `\\u${hex(code, 4)}`),
    escaped((code) => `\\\\u${hex(code, 4)}`),
    escaped((code) => `\\u{${hex(code, 1)}}`),
    escaped((code) => `\\x${hex(code, 2)}`),
    escaped((code) => `&#${code};`),
    escaped((code) => `&#x${hex(code, 1)};`),
    text.replaceAll('"', '""'),
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    encodeURIComponent(text),
    encodeURI(text),
    // The form in which PostgreSQL prints bytea values.
    utf8.toString('hex'),
  ]
}

const folded = (text: string) => text.toLowerCase()
const NEEDLES = [...new Set(CANARIES.flatMap(formsOf).map(folded))]
const ANY_NEEDLE = new RegExp(
  NEEDLES.map((needle) => needle.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'),
)

/** Returns true if bytes contain one of the person's texts, in any form and in upper or lower case. */
export function holdsPerson(bytes: Uint8Array | string): boolean {
  return ANY_NEEDLE.test(folded(Buffer.from(bytes as string).toString('latin1')))
}

/** Returns the tables and views of a database that contain the person; system schemas are not searched. */
export async function searchRows({ kysely }: Database): Promise<readonly string[]> {
  const { rows: relations } = await sql<{ name: string }>`
    select format('%s.%s', nspname, relname) as name
    from pg_class
    join pg_namespace on pg_namespace.oid = relnamespace
    where relkind in ('r', 'v', 'm', 'p') and nspname <> 'information_schema' and nspname not like 'pg\\_%'
    order by name`.execute(kysely)
  const found: string[] = []
  for (const { name } of relations) {
    const { rows } = await sql<{ row: string }>`
      select to_jsonb(whole_row)::text as row from ${sql.table(name)} as whole_row`.execute(kysely)
    if (rows.some(({ row }) => holdsPerson(row))) found.push(name)
  }
  return found
}

/**
 * Returns the tables for which the planner's statistics contain values of the person. The function skips
 * empty tables. PostgreSQL does not replace the statistics of an empty table, and `forget` reports that it
 * could not erase them.
 */
export async function searchStatistics({ kysely }: Database): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string; row: string }>`
    select distinct format('%s.%s', schemaname, tablename) as name, whole_row::text as row
    from pg_stats as whole_row
    where exists (
      select from pg_class where oid = to_regclass(format('%I.%I', schemaname, tablename)) and reltuples <> 0
    )
    order by name`.execute(kysely)
  return [...new Set(rows.filter(({ row }) => holdsPerson(row)).map(({ name }) => name))]
}

/** Returns the files below a folder whose content or name contains the person. */
export function searchFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => holdsPerson(path) || holdsPerson(readFileSync(path)))
    .map((path) => path.slice(folder.length + 1))
    .sort()
}
