import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse } from 'yaml'
import type { RunReport } from '../../pipeline/runtime/report.ts'
import { parseJson } from '../../transforms/rules/values.ts'

/**
 * A story: a folder of `test/cases/` with the source's records at each sync, and every byte of the results.
 */
export interface Story {
  /** Name of the story's folder, which is also the id of its integration. */
  readonly name: string
  readonly folder: string
  /** The integration as in event-sync.yaml, without id, platform, address and credentials. */
  readonly integration: { readonly source: { readonly type: 'a' | 'b' } }
}

export function readStory(folder: string): Story {
  return {
    name: basename(folder),
    folder,
    integration: parse(readFileSync(join(folder, 'story.yaml'), 'utf8')),
  }
}

/** Names of the folders in a folder, in byte order. */
export function folders(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}

/**
 * Returns the records of the source at each sync, by resource. If a sync has no file for a resource, the
 * resource has the records of the sync before.
 */
export function* readInput({
  folder,
}: Story): Generator<readonly [step: string, files: Readonly<Record<string, readonly unknown[]>>]> {
  let files: Record<string, readonly unknown[]> = {}
  for (const step of folders(join(folder, 'input'))) {
    const given = readdirSync(join(folder, 'input', step)).map((file) => {
      const text = readFileSync(join(folder, 'input', step, file), 'utf8')
      return [file.replace(/\.json$/, ''), parseJson(text) as readonly unknown[]] as const
    })
    files = { ...files, ...Object.fromEntries(given) }
    yield [step, files]
  }
}

/**
 * Returns the exact text that a run must have written to a file. The placeholders `<run>` and `<plan hash>`
 * in the header of `operations.jsonl` are replaced by the values of the run. The placeholder `<sha256>` in
 * the trailer is computed from the lines before the trailer.
 */
export function expectedFile({ folder }: Story, step: string, file: string, report: RunReport): string {
  const text = readFileSync(join(folder, 'expected', step, file), 'utf8')
    .replace('<run>', report.run ?? '')
    .replace('<plan hash>', report.planHash ?? '')
  const trailer = text.lastIndexOf('\n', text.length - 2) + 1
  return text.replace('<sha256>', createHash('sha256').update(text.slice(0, trailer)).digest('hex'))
}
