import { toTable } from '../../pipeline/commands/io.ts'
import type { Measurement } from './measurement.ts'

/** Formats the measurements as tables: one table for each measured command, with a column for each size. */
export function toTables(measurements: readonly Measurement[]): string {
  const tables = Map.groupBy(measurements, ({ table, what }) => `${table}: ${what}`)
  return [...tables]
    .map(([title, bySize]) => {
      const sizes = bySize.map(({ registrants }) => registrants.toLocaleString('en'))
      const names = [...new Set(bySize.flatMap(({ values }) => Object.keys(values)))]
      const rows = names.map((name) => [toWords(name), ...bySize.map(({ values }) => show(values[name]))])
      return `${title}\n${toTable(['registrants', ...sizes], rows)}`
    })
    .join('\n')
}

/** Turns a name such as `copyRowsPerSecond` into `copy rows/s`. */
function toWords(name: string): string {
  return name
    .replace('PerSecond', '/s')
    .replace(/Seconds(?=$|[A-Z])|^seconds$/, ' s')
    .replace(/(?<=.)Mb$/, ' MB')
    .replaceAll(/[A-Z](?=[a-z])/g, (letter) => ` ${letter.toLowerCase()}`)
    .trim()
}

/** Formats a number with three significant digits; whole numbers are printed in full. */
export function show(value: number | undefined): string {
  if (value === undefined) return ''
  const digits = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}
