import { expect, test } from 'vitest'
import { makeProgram } from '../../pipeline/commands/program.ts'
import type { ApplyOptions, PlanOptions, RunOptions } from '../../pipeline/library/results.ts'
import { openTestIo } from './commands/in-process.ts'

/** The compiler refuses an object of this type if a key is missing or unknown. */
type Keys<Options> = Readonly<Record<Exclude<keyof Options, 'signal'>, true>>

const run: Keys<RunOptions> = {
  runId: true,
  fresh: true,
  freshRead: true,
  full: true,
  refresh: true,
  unsigned: true,
  rebind: true,
  changes: true,
  parallel: true,
}
const plan: Keys<PlanOptions> = {
  runId: true,
  fresh: true,
  freshRead: true,
  full: true,
  refresh: true,
  rebind: true,
  content: true,
  sample: true,
  showPersonal: true,
}
const apply: Keys<ApplyOptions> = { approver: true, reason: true }

const program = await makeProgram(openTestIo(), () => undefined)

test.each(Object.entries({ run, plan, apply }))(
  '%s has the same options in the library as in the command',
  (name, keys) => {
    const command = program.commands.find((one) => one.name() === name)
    const own = command?.options.map((option) => option.attributeName()) ?? []
    const global = program.options.map((option) => option.attributeName())
    expect(
      Object.keys(keys)
        .filter((key) => !global.includes(key))
        .sort(),
    ).toEqual(own.sort())
  },
)
