/**
 * Loaded before the command line (`node --import`). The command logs its points, and dies at one of them.
 *
 * Variables: DEATH, for example `person erased 1` (point and hit; by default it is not killed), and DAYS by
 * which its clock is ahead.
 */
const { DEATH = '', DAYS = '0' } = process.env
const [, point = '', hit = ''] = /^(.*) (\d+)$/.exec(DEATH) ?? []
const write = process.stderr.write.bind(process.stderr)
const now = Date.now
let hits = 0

Date.now = () => now() + Number(DAYS) * 86_400_000

process.stderr.write = (line: string | Uint8Array, ...rest: unknown[]) => {
  if (point !== '' && String(line).includes(`"point":"${point}"`)) {
    hits += 1
    if (hits === Number(hit)) process.kill(process.pid, 'SIGKILL')
  }
  return Reflect.apply(write, process.stderr, [line, ...rest])
}
