import { stripTypeScriptTypes } from 'node:module'
import { parse } from 'yaml'
import { configSchema, loadConfig } from '../../../pipeline/config/config.ts'
import type { Block } from './blocks.ts'
import { faultOfShellLine } from './shell.ts'

/** Returns what is wrong with a block in words, or null if nothing is wrong. */
export async function faultOf(block: Block): Promise<string | null> {
  const judge = JUDGES.get(block.language)
  if (judge === undefined) {
    return `"${block.language}" is no language that is checked; known: ${[...JUDGES.keys()].join(', ')}`
  }
  try {
    return await judge(block.text)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

type Judge = (text: string) => string | null | Promise<string | null>

const JUDGES: ReadonlyMap<string, Judge> = new Map<string, Judge>([
  // A block without a language contains commands.
  ['', shellFault],
  ['sh', shellFault],
  ['yaml', configFault],
  // The language of a block with YAML that is not a configuration of event-sync.
  ['yaml other', readableBy(parse)],
  ['json', readableBy(JSON.parse)],
  // test/readme.database.test.ts runs the blocks in this language on a database.
  ['sql', () => null],
  ['js', readableBy(stripTypeScriptTypes)],
  // The blocks in this language are pieces of a file, and test/pipeline/extract/walk.test.ts checks them.
  ['ts', () => null],
  // These blocks are drawings.
  ['text', () => null],
  // test/sql/page/diagram.ts writes these blocks.
  ['mermaid', () => null],
])

function readableBy(read: (text: string) => unknown): Judge {
  return (text) => {
    read(text)
    return null
  }
}

async function shellFault(text: string): Promise<string | null> {
  for (const line of text.split('\n')) {
    const fault = await faultOfShellLine(line)
    if (fault !== null) return `${line.trim()}: ${fault}`
  }
  return null
}

/** The smallest valid integration; fragments of YAML are merged into it. */
const minimal = {
  id: 'minimal',
  source: { type: 'a', url: 'https://source-a.example', eventId: '1' },
  platform: { type: 'jsonl' },
}

const keysOfFile = Object.keys(configSchema.shape)
const keysOfIntegration = Object.keys(configSchema.shape.integrations.element.shape)

/**
 * Loads a complete event-sync.yaml, some of its top-level keys, or some keys of one integration.
 *
 * @throws Error if the configuration is not valid
 */
function configFault(text: string): null {
  const value: unknown = parse(text)
  if (typeof value !== 'object' || value === null) throw new Error('it is no mapping')
  const keys = Object.keys(value)
  let file = text
  if (!keys.includes('integrations')) {
    const isOf = (known: readonly string[]) => keys.every((key) => known.includes(key))
    const whole = isOf(keysOfFile)
      ? { integrations: [minimal], ...value }
      : { integrations: [{ ...minimal, ...value }] }
    if (!isOf(keysOfFile) && !isOf(keysOfIntegration)) {
      throw new Error(`not all of ${keys.join(', ')} are keys of one mapping of event-sync.yaml`)
    }
    file = JSON.stringify(whole)
  }
  // A glob in an example matches one file, which contains a valid integration.
  loadConfig('event-sync.yaml', {
    env: {},
    readFile: (path) => (path === 'event-sync.yaml' ? file : JSON.stringify({ ...minimal, id: 'of-a-file' })),
    findFiles: () => ['of-a-file.yaml'],
  })
  return null
}
