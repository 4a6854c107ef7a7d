/** Locks a directory until this process ends. The command is `node hold-directory.ts DIRECTORY`. */
import { lockDirectory } from '../../pipeline/database/private-folder.ts'

await lockDirectory(process.argv[2] ?? '')
process.stdout.write('held\n')
setInterval(() => undefined, 60_000)
