import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import { useFolder } from '../../support/folder.ts'

const folder = useFolder()

/** Imports a file in a process of its own, because Vitest imports files in another way than Node. */
function failureOf(path: string): string {
  const program = `
    const { importFailure } = await import(${JSON.stringify(join(packageRoot, 'pipeline/config/import-failure.ts'))})
    try {
      await import(${JSON.stringify(`${path}?0af3`)})
    } catch (error) {
      console.log(importFailure('./own', ${JSON.stringify(path)}, error))
    }`
  const args = ['--no-warnings', '--input-type=module', '--eval', program]
  return execFileSync(process.execPath, args, { encoding: 'utf8' }).trim()
}

function write(file: string, text: string, type?: string): string {
  const path = join(folder(), type ?? 'none', file)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(join(path, '../package.json'), JSON.stringify({ type }))
  writeFileSync(path, text)
  return path
}

test.each(['import fs from "node:fs"\nexport default fs', 'export default 1'])(
  'if package.json says "type": "commonjs", the error says which command changes that: %s',
  (text) => {
    const path = write('own.ts', text, 'commonjs')
    expect(failureOf(path)).toMatch(
      /^\.\/own cannot be imported: .* in own\.ts, line 1; run `npm pkg set type=module` in .*commonjs, because its package\.json says "type": "commonjs"/,
    )
  },
)

test.each(['bad.ts', 'bad.mts', 'bad.js', 'bad.mjs'])(
  'a syntax error is reported with its line: %s',
  (file) => {
    const path = write(file, 'import fs from "node:fs"\nconst one = fs\nconst two = = 2\n', 'module')
    expect(failureOf(path)).toMatch(new RegExp(`: .* in ${file}, line 3; correct the file or its imports$`))
  },
)

test.each([
  ['a syntax that Node cannot run', 'const a = 1\nenum Kind { A }\n', / in own\.ts, line 2; /],
  ['a name that a module does not export', 'import { nope } from "node:fs"\n', / in own\.ts, line 1; /],
  ['an error while the file is loaded', 'const a = {}\n\nexport default a.b.c\n', / in own\.ts, line 3; /],
])('%s is reported with its line', (_, text, message) => {
  expect(failureOf(write('own.ts', text, 'module'))).toMatch(message)
})
