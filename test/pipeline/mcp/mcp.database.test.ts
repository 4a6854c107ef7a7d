import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { expect, onTestFinished, test } from 'vitest'
import { makeProgram } from '../../../pipeline/commands/program.ts'
import { describeTools, TOOLS, toCall } from '../../../pipeline/mcp/tools.ts'
import { environmentWith } from '../../harness/process.ts'
import { CLI } from '../commands/command-line.ts'
import { openTestIo } from '../commands/in-process.ts'
import { configOfA } from '../commands/small-event.ts'
import { startPlatform, workspaceOfSmallEvent } from '../commands/small-workspace.ts'
import type { Workspace } from '../commands/workspace.ts'
import { faultsOf } from '../schemas/published-output.ts'

type Answer = Readonly<Record<string, unknown>>

/** Starts the server as a process, and connects the client of the SDK with it. */
async function connect({ folder, env }: Workspace, ...options: readonly string[]) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, ...options, 'mcp'],
    cwd: folder,
    env: environmentWith(env) as Record<string, string>,
    stderr: 'pipe',
  })
  const client = new Client({ name: 'test', version: '1.0.0' })
  /** What the server wrote on standard output and is no message of the protocol. */
  const errors: Error[] = []
  client.onerror = (error) => errors.push(error)
  let stderr = ''
  transport.stderr?.on('data', (chunk) => {
    stderr += String(chunk)
  })
  onTestFinished(() => client.close())
  await client.connect(transport)
  // The client checks each answer by the output schema, but only if it has listed the tools before.
  const { tools } = await client.listTools()
  /** Calls a tool, and returns its answer and the text of it. */
  const call = async (name: string, input: Answer = {}) => {
    const { isError = false, structuredContent, content } = await client.callTool({ name, arguments: input })
    const [{ text }] = content as readonly [{ readonly text: string }]
    return { isError, answer: structuredContent as Answer, text }
  }
  return { client, tools, call, errors, stderr: () => stderr }
}

test('an agent reads, explains and plans with tools, and nothing is sent to the platform', async () => {
  const { workspace, source } = await workspaceOfSmallEvent()
  const platform = await startPlatform(workspace)
  const passwords = { mode: 'none' }
  workspace.configure(configOfA(source.url, { platform: platform.config(10), passwords }))
  const [first] = (await workspace.report('run')).runs
  const sent = JSON.stringify(await workspace.rows('select * from sync.batches'))
  source.records = { ...source.records, Sessions: source.records.Sessions?.slice(1) ?? [] }

  const { tools, call, errors, stderr } = await connect(workspace, '--log-level', 'info')
  expect(tools.map(({ name }) => name)).toEqual(Object.keys(TOOLS))
  const [planned] = (await call('plan', { integrations: ['summit'], sample: 50 })).answer.runs as Answer[]
  expect(planned).toMatchObject({ status: 'held', plan: { total: 2 } })
  const inputs: Readonly<Record<keyof typeof TOOLS, Answer>> = {
    status: {},
    runs: { integration: 'summit', limit: 5, failed: false },
    show: { run: 'summit', content: ['agenda'], sample: 1 },
    log: { integration: 'summit' },
    diff: { from: first?.run ?? '', to: planned?.run ?? '' },
    explain: { integration: 'summit', content: 'attendees', uniqueId: 'u1' },
    missing: { integration: 'summit', email: 'u1@people.example' },
    quarantine: { integration: 'summit' },
    check: { integrations: ['summit'] },
    plan: {},
    verify: { folder: 'out' },
  }
  // Calls at the same time wait for each other.
  const answers = await Promise.all(
    Object.entries(inputs).map(async ([name, input]) => ({ name, ...(await call(name, input)) })),
  )
  for (const { name, isError, answer, text } of answers) {
    expect({ name, isError, text }).toEqual({ name, isError: false, text: JSON.stringify(answer) })
    expect(faultsOf(name as keyof typeof TOOLS, answer)).toEqual([])
    expect(text).not.toMatch(/people\.example|Of u1/)
  }
  expect(answers.find(({ name }) => name === 'diff')?.answer).toMatchObject({
    counts: { agenda: { remove: 1 } },
  })
  expect(errors).toEqual([])
  expect(stderr()).toContain('"msg"')
  expect(JSON.stringify(await workspace.rows('select * from sync.batches'))).toBe(sent)
})

test('values of people are shown only if the server was started with --show-personal, whatever the agent asks', async () => {
  const { workspace } = await workspaceOfSmallEvent()
  await workspace.run('run')
  const input = { integration: 'summit', content: 'attendees', uniqueId: 'u1' }
  const hiding = await connect(workspace)
  expect((await hiding.call('explain', input)).text).not.toContain('Of u1')
  expect((await hiding.call('show', { run: '--show-personal' })).isError).toBe(true)
  expect((await hiding.call('explain', { ...input, showPersonal: true })).isError).toBe(true)
  const showing = await connect(workspace, '--show-personal')
  expect((await showing.call('explain', input)).text).toContain('Of u1')
})

test('a tool that cannot do its work returns the error of its command, and the server goes on', async () => {
  const { workspace } = await workspaceOfSmallEvent('pglite')
  const { client, call, errors } = await connect(workspace)
  const unknown = await call('plan', { integrations: ['nosuch'] })
  expect(unknown).toMatchObject({ isError: true, text: expect.stringContaining('nosuch') })
  expect(await call('diff', { from: 1 })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/from|to/),
  })
  await expect(client.callTool({ name: 'run', arguments: {} })).rejects.toThrow('there is no tool run')
  const [status, plan] = await Promise.all([call('status'), call('plan')])
  expect([status.isError, plan.isError]).toEqual([false, false])
  expect(errors).toEqual([])
})

test('the server ends when its client ends the input', async () => {
  const { workspace } = await workspaceOfSmallEvent()
  const ended = await workspace.run('mcp')
  expect(ended).toEqual({ code: 0, stdout: '', stderr: '' })
})

test('each tool has the name and the arguments of a command, and options that the command has', async () => {
  const { commands } = await makeProgram(openTestIo(), () => undefined)
  for (const { name, inputSchema } of describeTools()) {
    const command = commands.find((one) => one.name() === name)
    const { args } = TOOLS[name]
    const isOption = (key: string) => !args.some((arg) => arg === key)
    const options = Object.keys(inputSchema.properties ?? {}).filter(isOption)
    expect(command?.options.map((option) => option.attributeName())).toEqual(expect.arrayContaining(options))
    expect(command?.registeredArguments.length).toBe(args.length)
  }
})

test('a value of an agent is never an option of the command', () => {
  expect(toCall('explain', { integration: '--config=other.yaml', name: '--email' })).toEqual({
    args: ['explain', '--name=--email', '--', '--config=other.yaml'],
    stdin: '',
  })
})
