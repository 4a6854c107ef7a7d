import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'

export const DEPLOY = join(packageRoot, 'pipeline', 'deploy')

/** One instruction of a Dockerfile, such as RUN, with the text behind it. */
export interface Instruction {
  readonly name: string
  readonly text: string
}

/** Reads the instructions of a Dockerfile. Comments are left out. */
export function readDockerfile(path = join(DEPLOY, 'Dockerfile')): readonly Instruction[] {
  return readFileSync(path, 'utf8')
    .replaceAll('\\\n', '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', text = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? []
      return { name, text }
    })
}

/** Returns the words of an instruction in the form of a JSON list, such as `["node", "-e"]`. */
export function wordsOf(instructions: readonly Instruction[], name: string): readonly string[] {
  const last = instructions.findLast((one) => one.name === name)
  const [list = '[]'] = /\[.*\]$/.exec(last?.text ?? '') ?? []
  return JSON.parse(list)
}
