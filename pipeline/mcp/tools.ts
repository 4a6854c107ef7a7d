import { z } from 'zod'
import { CONTENTS } from '../../sql/tables.ts'
import { type OutputName, publishedSchema } from '../schemas/published.ts'

/** How a tool calls the command with its name. */
interface Tool {
  readonly description: string
  readonly input: z.ZodObject
  /** Keys of the input that are arguments of the command, in their order. The others are options. */
  readonly args: readonly string[]
  /** True if the tool asks the source, and not only the database or files. */
  readonly readsSource?: boolean
  /** True if the tool stores something. */
  readonly stores?: boolean
}

const id = z.string().describe('Id of the integration.')
const ids = z.array(z.string()).describe('Ids of integrations; left out: all of them.').optional()
const run = (what: string) =>
  z.string().describe(`${what}: its id, or a part at the beginning or end that no other run has.`)
const content = z.enum(CONTENTS)
const contents = z.array(content).describe('Contents whose changes are listed; left out: all.').optional()
const sample = z.int().nonnegative().describe('Changes listed for each content; default: 10.').optional()
const limit = z.int().positive().describe('Most entries; default: 20.').optional()
const sought = {
  name: z
    .string()
    .describe('Words of the name of the person, or of the title of the session, in place of an id.')
    .optional(),
  email: z.string().describe('E-mail address of the person, in place of an id.').optional(),
}

/**
 * The tools, by the name of the command that they call. No tool sends, removes or forgets anything. A command
 * that changes more than `plan` must not become a tool.
 */
export const TOOLS = {
  status: {
    description:
      'The state of each integration, why it is so, and the command that a person should run next.',
    input: z.strictObject({ integrations: ids }),
    args: ['integrations'],
  },
  runs: {
    description: 'The last state of each integration; with an integration or a filter, the last runs.',
    input: z.strictObject({
      integration: id.optional(),
      failed: z.boolean().describe('Only runs that failed.').optional(),
      held: z.boolean().describe('Only runs whose plan a guard held.').optional(),
      since: z.string().describe('Only runs that began within this time, such as 7d or 12h.').optional(),
      limit,
    }),
    args: ['integration'],
  },
  show: {
    description:
      'One run in full: its plan, its times, who approved it, how the source was read, what did not land.',
    input: z.strictObject({
      run: run('The run, or an integration for its last run'),
      content: contents,
      sample,
    }),
    args: ['run'],
  },
  log: {
    description: 'What operators did with an integration (approvals, pauses, and others): when, who and why.',
    input: z.strictObject({ integration: id, limit }),
    args: ['integration'],
  },
  diff: {
    description: 'What changed between two runs of an integration, item by item and field by field.',
    input: z.strictObject({ from: run('The first run'), to: run('The second run'), content: contents }),
    args: ['from', 'to'],
  },
  explain: {
    description:
      'Where each field of an item came from, through which runs, and why; or why there is no such item. Needs content and uniqueId, or name or email.',
    input: z.strictObject({
      integration: id,
      content: content.optional(),
      uniqueId: z.string().describe('Id of the item, or of its record at the source.').optional(),
      ...sought,
    }),
    args: ['integration', 'content', 'uniqueId'],
  },
  missing: {
    description: 'Records that are not on the platform, with the reason and what the organiser can do.',
    input: z.strictObject({ integration: id, ...sought }),
    args: ['integration'],
  },
  quarantine: {
    description: 'Records of the last read that could not be read, with path and reason.',
    input: z.strictObject({ integration: id, ...sought }),
    args: ['integration'],
  },
  check: {
    description:
      'Reads the source and says if the setup meets each rule, and how many records would be synced. Stores nothing.',
    input: z.strictObject({ integrations: ids }),
    args: ['integrations'],
    readsSource: true,
  },
  plan: {
    description:
      'Reads the source, and stores a plan of what would change on the platform. Sends nothing: only a person can apply the plan, with `event-sync apply`. The newest plan replaces an older one that waits.',
    input: z.strictObject({ integrations: ids, content: contents, sample }),
    args: ['integrations'],
    readsSource: true,
    stores: true,
  },
  verify: {
    description:
      'Checks audit packs or an evidence folder: hashes, rows, sums, signatures and the chain of packs.',
    input: z.strictObject({
      folder: z.string().describe('A pack, the folder of an integration, the output folder, or evidence.'),
      publicKey: z.string().describe('File with Ed25519 public keys in PEM.').optional(),
    }),
    args: ['folder'],
  },
} as const satisfies Partial<Record<OutputName, Tool>>

export type ToolName = keyof typeof TOOLS

const toolOf = (name: ToolName): Tool => TOOLS[name]

/** Returns the name of a tool; null if there is no such tool. */
export function toToolName(name: string): ToolName | null {
  return Object.hasOwn(TOOLS, name) ? (name as ToolName) : null
}

/** Describes the tools for a client. What a tool returns is the output of its command with `--json`. */
export function describeTools() {
  return (Object.keys(TOOLS) as ToolName[]).map((name) => {
    const { description, input, readsSource = false, stores = false } = toolOf(name)
    return {
      name,
      description,
      inputSchema: { ...z.toJSONSchema(input, { io: 'input' }), type: 'object' as const },
      outputSchema: { ...publishedSchema(name), type: 'object' as const },
      annotations: { readOnlyHint: !stores, destructiveHint: false, openWorldHint: readsSource },
    }
  })
}

/** The arguments of a command and its standard input. */
export interface ToolCall {
  readonly args: readonly string[]
  readonly stdin: string
}

/**
 * Makes the arguments of the command that a tool calls.
 *
 * @returns the text of the mistakes if the input does not fit the tool
 */
export function toCall(name: ToolName, given: unknown): ToolCall | string {
  const { input, args } = toolOf(name)
  const { data, error } = input.safeParse(given)
  if (data === undefined) return z.prettifyError(error)
  const { email, ...rest } = data
  const entries = Object.entries(rest)
  const options = entries
    .filter(([key]) => !args.includes(key))
    .flatMap(([key, value]) => toOption(key, value))
  // Values come after `--`, so that no value of an agent can be an option.
  const values = args.flatMap((key) => rest[key] ?? []).map(String)
  const byAddress = email === undefined ? [] : ['--email']
  return {
    args: [name, ...options, ...byAddress, '--', ...values],
    stdin: email === undefined ? '' : `${email}\n`,
  }
}

function toOption(key: string, value: unknown): readonly string[] {
  const option = `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  if (value === undefined || value === false) return []
  return [value === true ? option : `${option}=${value}`]
}
