import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeProgram } from '../../../pipeline/commands/program.ts'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import { openTestIo } from '../commands/in-process.ts'

/**
 * Returns what is wrong with a shell line, for example an unknown command or option, or null if nothing is
 * wrong.
 */
export async function faultOfShellLine(line: string): Promise<string | null> {
  for (const words of commandsOf(line)) {
    const fault = await faultOfCommand(words)
    if (fault !== null) return fault
  }
  return null
}

/** Returns the words of each command in a line, without comments and redirections. */
function commandsOf(line: string): readonly (readonly string[])[] {
  const tokens = line.match(/"(?:\\.|[^"\\])*"|'[^']*'|&&|\|\||[|;]|>+|<|#.*$|[^\s"'|;<>&]+/g) ?? []
  const commands: string[][] = [[]]
  let isFile = false
  for (const token of tokens) {
    if (token.startsWith('#')) break
    if (/^(?:&&|\|\||[|;])$/.test(token)) commands.push([])
    else if (/^[<>]/.test(token)) isFile = true
    else if (isFile) isFile = false
    else commands.at(-1)?.push(token.replace(/^(["'])(.*)\1$/, '$2'))
  }
  return commands.filter((words) => words.length > 0)
}

async function faultOfCommand([program = '', ...args]: readonly string[]): Promise<string | null> {
  switch (program) {
    case 'event-sync':
      return faultOfEventSync(args)
    case 'npx':
      if (args[0] === 'vitest') return null
      if (args[0] === 'event-sync')
        return 'npx event-sync fetches the package of somebody else where ours is not installed'
      return args[0] === '--no-install' && args[1] === 'event-sync'
        ? faultOfEventSync(args.slice(2))
        : `npx ${args[0]} is not known here`
    case 'npm':
      return faultOfNpm(args)
    case 'node':
      return existsSync(join(packageRoot, (args[0] ?? '').replace('node_modules/event-content-sync/', '')))
        ? null
        : `there is no ${args[0]}`
    case 'export':
      return /^[A-Z_][A-Z0-9_]*=/.test(args[0] ?? '') ? null : 'export takes NAME=value'
    case 'cp':
    case 'createdb':
    case 'dropdb':
    case 'mkdir':
    case 'mv':
    case 'openssl':
    case 'pg_dump':
    case 'pg_restore':
    case 'rm':
    case 'sha256sum':
      return null
    default:
      return `${program} is not known here`
  }
}

/** The real command line parses the words, but the actions of the commands do nothing. */
async function faultOfEventSync(args: readonly string[]): Promise<string | null> {
  const program = await makeProgram(openTestIo(), () => undefined)
  for (const command of program.commands) command.action(() => undefined)
  try {
    await program.parseAsync(args, { from: 'user' })
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function faultOfNpm([command = '', script = '']: readonly string[]): string | null {
  if (['ci', 'init', 'install', 'pack', 'pkg', 'audit'].includes(command)) return null
  const name = command === 'run' ? script : command
  if (command !== 'run' && !['start', 'test'].includes(command)) return `npm ${command} is not known here`
  const scripts: unknown = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')).scripts
  return Object.hasOwn(Object(scripts), name) ? null : `package.json has no script ${name}`
}
