/** Locks a directory for this process until the process ends: `node hold-directory.ts DIRECTORY`. */
import { lockDirectory } from '../../pipeline/database/private-folder.ts'

await lockDirectory(process.argv[2] ?? '')
process.stdout.write('held\n')
setInterval(() => undefined, 60_000)
