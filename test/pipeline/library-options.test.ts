import { expect, test } from 'vitest'
import { makeProgram } from '../../pipeline/commands/program.ts'
import { contractTests } from '../../pipeline/library/contract.ts'
import { OPTIONS, type OpenOptions } from '../../pipeline/library/options.ts'
import { CommandError, open } from '../../pipeline/library/project.ts'
import { targetContractTests } from '../../pipeline/library/target-contract.ts'
import { openTestIo } from './commands/in-process.ts'

const program = await makeProgram(openTestIo(), () => undefined)

const { run, plan, apply } = OPTIONS

test.each(Object.entries({ run, plan, apply }))(
  '%s has the same options in the library as in the command',
  (name, keys) => {
    const command = program.commands.find((one) => one.name() === name)
    const own = command?.options.map((option) => option.attributeName()) ?? []
    const global = program.options.map((option) => option.attributeName())
    expect(
      Object.keys(keys)
        .filter((key) => key !== 'signal' && !global.includes(key))
        .sort(),
    ).toEqual(own.sort())
  },
)

const project = open({ config: { integrations: [] } })
const wrong = <Value>(value: unknown) => value as Value

test.each<[string, () => Promise<unknown>]>([
  ['run: ids: must be a list of ids such as [\'summit\'], got "summit"', () => project.run(wrong('summit'))],
  ['run: options.paralel: unknown key; did you mean parallel?', () => project.run([], wrong({ paralel: 2 }))],
  [
    'plan: options.freshread: unknown key; did you mean freshRead?',
    () => project.plan([], wrong({ freshread: false })),
  ],
  [
    'check: options.deep: unknown key; the keys here are signal',
    () => project.check([], wrong({ deep: true })),
  ],
  ['apply: planHash: is missing', () => project.apply('summit', wrong(undefined))],
  ['runs: id: must be text, got a list', () => project.runs(wrong(['summit']))],
  [
    'verify: options.publickey: unknown key; did you mean publicKey?',
    () => project.verify('out', wrong({ publickey: '' })),
  ],
])(
  'a function of the library refuses arguments that it would ignore or misread: %s',
  async (message, call) => {
    await expect(call()).rejects.toEqual(new CommandError(message, 64))
  },
)

test.each<[string, object]>([
  [
    'open: config: must be a configuration file, or its content as an object; confg: unknown key; did you mean config?',
    { confg: 'x' },
  ],
  ['open: ontext: unknown key; did you mean onText?', { config: 'x', ontext: () => undefined }],
])('open refuses unknown options: %s', (message, options) => {
  expect(() => open(options as OpenOptions)).toThrow(new CommandError(message, 64))
})

test('the contract tests refuse a subject with an unknown or wrong key', () => {
  const serve = async () => ({ url: '', hold: () => undefined, close: async () => undefined })
  expect(() => contractTests(wrong({ source: {}, config: {}, full: {}, serve, envs: {} }))).toThrow(
    'contractTests: source: must be a source, which is the default export of its file; envs: unknown key; did you mean env?',
  )
  expect(() => targetContractTests(wrong({ target: {}, config: {}, strat: serve }))).toThrow(
    'targetContractTests: target: must be a target, which is the default export of its file; start: must be a function; strat: unknown key; did you mean start?',
  )
})
