import { Readable, Writable } from 'node:stream'
import { EXIT } from '../runtime/report.ts'
import { callIo } from './call-io.ts'
import { type AddCommand, defineCommand } from './define-command.ts'
import type { CommandIo } from './io.ts'
import type { GlobalOptions } from './session.ts'

const HELP = `
A client, such as an assistant in an editor, starts this command and calls its tools: status, runs, show, log, diff, explain, missing,
quarantine, check, plan and verify. They return what the commands with these names print with --json. No tool sends anything to the platform:
plan stores a plan, and only a person can apply it. Values of people are hidden, unless the command is started with --show-personal.
Standard output has only messages of the protocol; text for people goes to standard error. It ends when standard input ends.

Examples:
  event-sync -c /srv/sync/event-sync.yaml mcp
  event-sync mcp --show-personal          for an agent that may see values of people

Configuration of a client, which must also set the environment variables that event-sync.yaml names:
  {"mcpServers": {"event-sync": {"command": "/srv/sync/node_modules/.bin/event-sync",
                                 "args": ["-c", "/srv/sync/event-sync.yaml", "mcp"], "env": {"DATABASE_URL": "…"}}}}`

/** Makes the function that adds the command. @param runCommand runs another command */
export function mcpCommand(
  runCommand: (args: readonly string[], io: CommandIo) => Promise<number>,
): AddCommand {
  return defineCommand({
    name: 'mcp',
    summary:
      'a Model Context Protocol server, with which an agent reads, explains and plans, and sends nothing',
    help: HELP,
    exits: ['failed', 'usage'],
    async run({ global, io }) {
      const { serveTools } = await import('../mcp/serve.ts')
      const { bare = io.stdout } = io.stdout
      const input = new Readable().wrap(io.stdin)
      const output = new Writable({
        write(chunk, _, done) {
          if (bare.write(chunk)) done()
          else bare.once('drain', done)
        },
      })
      await serveTools(
        async ({ args, stdin }, cancelled) => {
          const { env, cwd } = io
          const onText = (text: string) => io.stderr.write(text)
          const called = callIo({ env, cwd, stdin, onText, cancelled })
          await runCommand([...passedOn(global), ...args], called.io)
          cancelled.throwIfAborted()
          const text = called.output().trimEnd()
          return { text, output: JSON.parse(text) }
        },
        input,
        output,
      )
      return EXIT.ok
    },
  })
}

/** Returns the options with which the server was started and with which each tool calls its command. */
function passedOn({ config, logLevel, insecureHttp, showPersonal }: GlobalOptions): readonly string[] {
  return [
    '--json',
    '--no-input',
    `--config=${config}`,
    `--log-level=${logLevel}`,
    ...(insecureHttp ? ['--insecure-http'] : []),
    ...(showPersonal ? ['--show-personal'] : []),
  ]
}
