import type { Measured } from './measured.ts'
import type { Place } from './place.ts'

/** A finished command `run` or `plan` for one integration, with values from its log. */
export interface LoggedRun extends Measured {
  readonly run: string
  /** Folder of the pack that the run wrote; null if the run wrote no pack. */
  readonly output: string | null
  /** Creations, updates and removals. */
  readonly changes: number
  /**
   * Returns the seconds that these steps took according to the run's log; a step that did not occur counts 0.
   */
  stepSeconds(...steps: readonly string[]): number
  /**
   * Seconds from the beginning to the end of the run; the start of the process and the migrations are not
   * included.
   */
  readonly runSeconds: number
}

interface Line {
  readonly time: string
  readonly msg: string
  readonly step?: string
  readonly ms?: number
}

interface Report {
  readonly run: string
  readonly output: string | null
  readonly changes: Readonly<Record<string, Readonly<Record<'create' | 'update' | 'remove', number>>>>
}

/**
 * @throws Error if `run` ended with another exit code than 0, or `plan` with another exit code than 0 and 2
 */
export async function loggedRun(place: Place, command: 'run' | 'plan'): Promise<LoggedRun> {
  const ended = await place.command('--log-level', 'info', command)
  if (ended.code !== 0 && !(command === 'plan' && ended.code === 2)) throw failed(command, ended)
  const lines = ended.stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): Line => JSON.parse(line))
  const at = (msg: string): number => {
    const line = lines.find((each) => each.msg === msg)
    if (line === undefined)
      throw new Error(`${command}: the log does not tell when: ${ended.stderr.slice(-500)}`)
    return Date.parse(line.time)
  }
  const [report]: readonly Report[] = JSON.parse(ended.stdout).runs
  if (report === undefined) throw failed(command, ended)
  const { run, output, changes } = report
  return {
    ...ended,
    run,
    output,
    changes: Object.values(changes).reduce(
      (sum, { create, update, remove }) => sum + create + update + remove,
      0,
    ),
    stepSeconds: (...steps) =>
      lines
        .filter(({ msg, step }) => msg === 'step ended' && steps.includes(step ?? ''))
        .reduce((sum, { ms = 0 }) => sum + ms / 1000, 0),
    runSeconds: (at('run ended') - at('run opened')) / 1000,
  }
}

/** Runs a command that only opens the configuration and the database: the baseline for other commands. */
export async function idle(place: Place): Promise<Measured> {
  return succeeded('runs', await place.command('--log-level', 'info', 'runs'))
}

/** @throws Error if the exit code of the command is not 0 */
export function succeeded(command: string, ended: Measured): Measured {
  if (ended.code !== 0) throw failed(command, ended)
  return ended
}

function failed(command: string, { code, stdout, stderr }: Measured): Error {
  return new Error(`${command} ended with ${code}: ${(stderr === '' ? stdout : stderr).slice(-2000)}`)
}
