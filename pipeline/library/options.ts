import { z } from 'zod'
import { functionSchema, keysOnly } from '../settings/definition.ts'
import { must, section } from '../settings/values.ts'
import type { ApplyOptions, PlanOptions, ReadOptions, RunOptions } from './results.ts'

/** Configuration, folder and environment of a project. */
export interface OpenOptions {
  /** A configuration file, or its content as an object. */
  readonly config: string | object
  /**
   * Folder from which relative paths are resolved; default: the working directory. Paths in a configuration
   * file are resolved from the folder of that file.
   */
  readonly folder?: string
  /** Environment variables with secrets. Default: the environment variables of the process. */
  readonly env?: NodeJS.ProcessEnv
  readonly insecureHttp?: boolean
  /** Called with each text that the command would print on standard error. A text may have several lines. */
  readonly onText?: (text: string) => void
}

/** The names of options. The compiler refuses a list that lacks a name, or has another name. */
type Names<Options> = Readonly<Record<keyof Options, true>>

const read: Names<ReadOptions> = {
  signal: true,
  runId: true,
  fresh: true,
  freshRead: true,
  full: true,
  refresh: true,
  rebind: true,
}
const run: Names<RunOptions> = { ...read, unsigned: true, changes: true, parallel: true }
const plan: Names<PlanOptions> = { ...read, content: true, sample: true, showPersonal: true }
const apply: Names<ApplyOptions> = { signal: true, approver: true, reason: true }

/** The names of the options of each function of a project. */
export const OPTIONS = {
  check: { signal: true },
  plan,
  apply,
  run,
  runs: { limit: true },
  verify: { publicKey: true },
}

const optionsOf = (name: keyof typeof OPTIONS) => keysOnly(Object.keys(OPTIONS[name]))
const ids = () => z.array(z.string(), { error: must("a list of ids such as ['summit']") })

/** The schema of the arguments of each function of a project. */
export const ARGUMENTS = {
  check: section({ ids: ids(), options: optionsOf('check') }),
  plan: section({ ids: ids(), options: optionsOf('plan') }),
  apply: section({ id: z.string(), planHash: z.string(), options: optionsOf('apply') }),
  run: section({ ids: ids(), options: optionsOf('run') }),
  runs: section({ id: z.string().optional(), options: optionsOf('runs') }),
  verify: section({ folder: z.string(), options: optionsOf('verify') }),
} satisfies Record<keyof typeof OPTIONS, z.ZodType>

const isObject = (value: unknown) => typeof value === 'object' && value !== null
const isConfig = (value: unknown) => typeof value === 'string' || isObject(value)

/** The schema of the options of `open`. */
export const OPEN_OPTIONS = section({
  config: z.custom(isConfig, { error: 'must be a configuration file, or its content as an object' }),
  folder: z.string().optional(),
  env: z.custom(isObject, { error: 'must be an object with variables' }).optional(),
  insecureHttp: z.boolean().optional(),
  onText: functionSchema().optional(),
} satisfies Record<keyof OpenOptions, z.ZodType>)
