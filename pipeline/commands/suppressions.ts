import { rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Argument, type Command } from 'commander'
import { counted } from '../../transforms/guards/guard-finding.ts'
import { exportSuppressions, importSuppressions, type SuppressionCounts } from '../privacy/suppressions.ts'
import { describeCode, systemCodeOf } from '../runtime/not-writable.ts'
import { UserError } from '../settings/errors.ts'
import { readText } from './arguments.ts'
import { type CommandIo, printBoth } from './io.ts'
import { type GlobalOptions, withContext } from './session.ts'

const HELP = `
What forget keeps holds for the source event (type, address and event id as configured), whichever integration of the
database reads it. The file takes it to another database: keyed hashes, no id, no address and no key. The other database
needs the same sealingKey. Import before the first run there: it erases nobody who was read already, forget does.

Examples:
  event-sync suppressions export kept-out.json
  event-sync suppressions import kept-out.json    in the other database; a second time adds nothing`

export function addSuppressionsCommand(program: Command, io: CommandIo): void {
  program
    .command('suppressions')
    .description('take what keeps forgotten people out to another database')
    .addArgument(new Argument('<action>', 'what to do').choices(['export', 'import']))
    .argument('<file>', 'export writes it for its owner alone, where there is none; import reads it')
    .addHelpText('after', HELP)
    .action(async (action: 'export' | 'import', file: string) => {
      const global = program.opts<GlobalOptions>()
      const print = (outcome: SuppressionCounts, text: string) =>
        printBoth(io, global.json, text, { action, file, ...outcome })
      await withContext(global, io, async (context) => {
        if (action === 'export') {
          const { text, ...counts } = await exportSuppressions(context)
          writePrivate(resolve(io.cwd, file), file, text)
          print(counts, `${file}: ${described(counts)}; import it with the same sealingKey\n`)
          return
        }
        const { unread, ...counts } = await importSuppressions(context, file, readText(io.cwd, file))
        const lines = [
          `${file}: ${described(counts)} that this database did not have; the next run keeps them out. Of people who were read here already, history and packs still have values: \`event-sync forget\` erases them`,
          ...unread.map(
            (event) =>
              `no integration of the configuration reads ${event}; one that does later keeps them out`,
          ),
        ]
        const outcome = { ...counts, unread }
        print(outcome, `${lines.join('\n')}\n`)
      })
    })
}

function described({ ids, addresses }: SuppressionCounts): string {
  const e = addresses === 1 ? '' : 'es'
  return `${counted(ids, 'id')} and ${addresses} e-mail address${e} of forgotten people`
}

/** @throws UserError where the file is there, or cannot be written */
function writePrivate(path: string, file: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600, flush: true })
  } catch (cause) {
    if (systemCodeOf(cause) === 'EEXIST')
      throw new UserError('file', `${file} exists and is not overwritten`, 'name another file')
    // The disk may be full.
    rmSync(path, { force: true })
    throw new UserError('file', `${file} cannot be written${describeCode(cause)}`, '', { cause })
  }
}
