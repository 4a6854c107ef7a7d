import type { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { productVersion } from '../runtime/package-root.ts'
import { UserError } from '../settings/errors.ts'
import { describeTools, type ToolCall, toCall, toToolName } from './tools.ts'

/** The output of a command with `--json`. */
export interface Answer {
  readonly output: Readonly<Record<string, unknown>>
  readonly text: string
}

/** Runs the command of a tool. @param signal aborted if the client cancels the call or ends the connection */
export type CallCommand = (call: ToolCall, signal: AbortSignal) => Promise<Answer>

const INSTRUCTIONS = `event-sync copies an event's agenda, speakers and attendees from a source system to an event platform.
Begin with the tool status. An integration has runs; a run has a plan; a plan that looks wrong is held until a person approves it.
No tool sends anything to the platform. Tell the person which command to run: results name it.
Values of people are (hidden), unless the person has started this server with --show-personal.`

/**
 * Serves the tools to a client of the Model Context Protocol until the client ends the input.
 *
 * @throws UserError if the SDK of the protocol is not installed
 */
export async function serveTools(call: CallCommand, input: Readable, output: Writable): Promise<void> {
  const { Server, StdioServerTransport, types } = await loadSdk()
  const ending = new AbortController()
  // The embedded database takes one command at a time, so calls wait for each other.
  let last: Promise<unknown> = Promise.resolve()
  const server = new Server(
    { name: 'event-sync', version: productVersion },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  )
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({ tools: describeTools() }))
  server.setRequestHandler(types.CallToolRequestSchema, ({ params }, { signal }) => {
    const name = toToolName(params.name)
    if (name === null)
      throw new types.McpError(types.ErrorCode.InvalidParams, `there is no tool ${params.name}`)
    const made = toCall(name, params.arguments ?? {})
    if (typeof made === 'string') return toResult({ output: { error: made }, text: made })
    const stop = AbortSignal.any([signal, ending.signal])
    const answer = last.then(() => {
      stop.throwIfAborted()
      return call(made, stop)
    })
    last = Promise.allSettled([answer])
    return answer.then(toResult)
  })
  const ended = finished(input, { writable: false })
  await server.connect(new StdioServerTransport(input, output))
  await ended
  ending.abort(new Error('the client has ended the connection'))
  await last
  await server.close()
}

function toResult({ output, text }: Answer) {
  const isError = Object.keys(output).join() === 'error'
  if (isError) return { isError, content: [{ type: 'text' as const, text: String(output.error) }] }
  return { structuredContent: output, content: [{ type: 'text' as const, text }] }
}

async function loadSdk() {
  try {
    const { Server } = await import('@modelcontextprotocol/sdk/server/index.js')
    const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js')
    const types = await import('@modelcontextprotocol/sdk/types.js')
    return { Server, StdioServerTransport, types }
  } catch (cause) {
    throw new UserError(
      'file',
      'the package @modelcontextprotocol/sdk, which `event-sync mcp` needs, cannot be loaded',
      'install event-content-sync without --omit=optional',
      { cause },
    )
  }
}
