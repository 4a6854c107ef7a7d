import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { placeInCode } from '../../transforms/texts/place-in-code.ts'
import { messageOf } from '../runtime/message-of.ts'

/**
 * Describes why a source or target could not be imported, and what to do.
 *
 * @param type path or package that the configuration names
 * @param path the file
 * @param error thrown by the import
 */
export function importFailure(type: string, path: string, error: unknown): string {
  const failure = `${type} cannot be imported: ${messageOf(error)}${placeInCode(error) || placeOfSyntax(path, error)}`
  const packageFile = error instanceof SyntaxError ? findPackageJSON(pathToFileURL(path)) : undefined
  if (packageFile !== undefined && JSON.parse(readFileSync(packageFile, 'utf8')).type === 'commonjs') {
    const todo = `run \`npm pkg set type=module\` in ${dirname(packageFile)}`
    return `${failure}; ${todo}, because its package.json says "type": "commonjs", and the file is an ES module`
  }
  return `${failure}; correct the file or its imports`
}

/**
 * Returns the line of a syntax error in a JavaScript file. Node includes the line only in errors of TypeScript
 * files, but also prints it if it only checks a file.
 */
function placeOfSyntax(path: string, error: unknown): string {
  if (!(error instanceof SyntaxError)) return ''
  const { stderr } = spawnSync(process.execPath, ['--check', path], { encoding: 'utf8' })
  return placeInCode(Object.assign(new Error(error.message), { stack: stderr }))
}
