import { stripTypeScriptTypes } from 'node:module'
import { parse } from 'yaml'
import { configSchema, loadConfig } from '../../../pipeline/config/config.ts'
import type { Block } from './blocks.ts'
import { faultOfShellLine } from './shell.ts'

/** Returns what is wrong with a block, in words; null where nothing is. */
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
  // Without a language: commands.
  ['', shellFault],
  ['sh', shellFault],
  ['yaml', configFault],
  // YAML that is not a configuration is marked so.
  ['yaml other', readableBy(parse)],
  ['json', readableBy(JSON.parse)],
  // Run on a database: test/readme.database.test.ts.
  ['sql', () => null],
  ['js', readableBy(stripTypeScriptTypes)],
  // A piece of a file: test/pipeline/extract/walk.test.ts.
  ['ts', () => null],
  // A drawing.
  ['text', () => null],
  // Made by test/sql/page/diagram.ts.
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

/** The least that is a configuration, into which fragments are put. */
const minimal = {
  id: 'minimal',
  source: { type: 'a', url: 'https://source-a.example', eventId: '1' },
  platform: { type: 'jsonl' },
}

const keysOfFile = Object.keys(configSchema.shape)
const keysOfIntegration = Object.keys(configSchema.shape.integrations.element.shape)

/** An event-sync.yaml, or keys of one, or keys of one of its integrations. */
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
  loadConfig('event-sync.yaml', { env: {}, readFile: () => file })
  return null
}
