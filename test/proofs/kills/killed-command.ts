/**
 * This module is loaded before the command line (`node --import`). The command logs the named points that it
 * reaches, and kills itself at one of these points.
 *
 * The environment variable DEATH names the point of the kill, for example `person erased 1` for the first
 * time that this point is reached. Without DEATH the command is not killed. The variable DAYS says how many
 * days the command's clock is ahead.
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
