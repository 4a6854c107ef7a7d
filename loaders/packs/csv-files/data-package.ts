import type { Content, CustomFields } from '../../../sql/tables.ts'
import { FORMULA_GUARD, type ListedFile } from './csv.ts'
import { csvFilesOf, type PackFile } from './pack-files.ts'

/** The pack that `datapackage.json` describes. */
export interface DescribedPack {
  readonly integration: string
  /** Name of the event; null if none is configured. */
  readonly eventName: string | null
  readonly productVersion: string
  /** Time zone of the event; null if none is configured. */
  readonly timeZone: string | null
  readonly rollbackTo: string | null
  /** Contents that the run syncs. */
  readonly contents: ReadonlySet<Content>
  readonly files: readonly ListedFile[]
  readonly personalData: 'full' | 'masked'
  readonly custom: CustomFields
}

/**
 * Describes the CSV files of a pack in the Data Package standard (Frictionless), for tools that know the
 * standard. The keys `timeZone` and `formulaGuard` are our own. The description names neither the run nor a
 * time, so that packs with the same CSV files share it.
 */
export function describePack(pack: DescribedPack): object {
  const listed = new Map(pack.files.map((file) => [file.name, file]))
  const resources = csvFilesOf(pack.custom).flatMap((file) => {
    const { name: path } = file
    const found = listed.get(path)
    return found === undefined ? [] : [describeFile(file, found, pack)]
  })
  return {
    profile: 'tabular-data-package',
    name: pack.integration,
    title: `Audit pack of ${pack.eventName ?? pack.integration}`,
    version: pack.productVersion,
    ...(pack.timeZone === null ? {} : { timeZone: pack.timeZone }),
    formulaGuard: FORMULA_GUARD,
    resources,
  }
}

function describeFile(
  { name, holds, columns, sortedBy, hasRepeats, references = [] }: PackFile,
  { bytes, sha256 }: ListedFile,
  { personalData, rollbackTo, contents }: DescribedPack,
) {
  // Masked ids can be equal, so a column with masked ids is not declared as a key.
  const isKeyed =
    hasRepeats !== true && (personalData === 'full' || !sortedBy?.some((one) => columns[one]?.isPersonal))
  const foreignKeys = references
    .filter(({ isOfReading }) => isOfReading !== true || rollbackTo === null)
    .filter(({ content }) => content === undefined || contents.has(content))
    .map(({ columns: fields, file, as = fields }) => ({
      fields,
      reference: { resource: resourceOf(file), fields: as },
    }))
  return {
    name: resourceOf(name),
    path: name,
    profile: 'tabular-data-resource',
    title: holds,
    format: 'csv',
    mediatype: 'text/csv',
    encoding: 'utf-8',
    bytes,
    hash: `sha256:${sha256}`,
    dialect: { delimiter: ',', lineTerminator: '\r\n', quoteChar: '"', doubleQuote: true, header: true },
    schema: {
      fields: Object.entries(columns).map(describeColumn),
      missingValues: [''],
      ...(isKeyed && sortedBy ? { primaryKey: sortedBy } : {}),
      ...(foreignKeys.length === 0 ? {} : { foreignKeys }),
    },
  }
}

function describeColumn([name, { type, format, meaning, isRequired, values }]: [
  string,
  PackFile['columns'][string],
]) {
  const choices = [...(values ?? [])].filter((value) => value !== '')
  const constraints = {
    ...(isRequired ? { required: true } : {}),
    ...(type === 'string' && choices.length > 0 ? { enum: choices } : {}),
  }
  return {
    name,
    type,
    ...(format === undefined ? {} : { format }),
    ...(type === 'boolean' ? { trueValues: ['true'], falseValues: ['false'] } : {}),
    description: meaning,
    ...(Object.keys(constraints).length === 0 ? {} : { constraints }),
  }
}

/** Returns the name of a file's resource in the data package. */
function resourceOf(file: string): string {
  return file.replace(/\.csv$/, '')
}
