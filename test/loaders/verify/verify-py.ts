import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'

export const VERIFY_PY = join(packageRoot, 'loaders/verify/verify.py')

/** Path of Python; null if this machine has none. */
export const PYTHON =
  spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).stdout?.trim() ||
  null
export const NO_PYTHON = 'verify.py is not tested: there is no python3 here'

/** Runs `verify.py`, or a copy of it, as an auditor does. */
export function runVerifyPy(
  args: readonly string[],
  {
    environment = process.env,
    script = VERIFY_PY,
  }: { environment?: NodeJS.ProcessEnv; script?: string } = {},
) {
  return runPython([script, ...args], environment)
}

export function runPython(args: readonly string[], environment = process.env) {
  const { status, stdout, stderr, error } = spawnSync(PYTHON ?? 'python3', args, {
    encoding: 'utf8',
    env: { ...environment, PYTHONDONTWRITEBYTECODE: '1' },
  })
  if (error !== undefined) throw error
  return { code: status, stdout, stderr }
}

/**
 * Answers each line with the folder of an integration and a key file with the findings of each pack. If the
 * folder has evidence, the findings of the evidence itself have the name "evidence".
 */
const SERVER = `
import json, os, runpy, sys
verify = runpy.run_path(sys.argv[1])
for line in sys.stdin:
    folder, key = json.loads(line)
    keys = verify["Keys"](verify["keys_in"](key), verify["find_tool"]()) if key else None
    found = {}
    def add(name, findings):
        found[name] = [file + " " + message for file, message, todo in findings]
    evidence = verify["check_evidence"](folder, keys)
    if evidence is not None:
        add("evidence", evidence.findings)
        for checked in evidence.packs:
            add(os.path.basename(checked.pack.folder), checked.findings)
    for place in [] if evidence is not None else verify["places_at"](folder, keys):
        for checked in verify["check"](place, keys):
            add(os.path.basename(checked.pack.folder), checked.findings)
    print(json.dumps(found), flush=True)
`

/** One process that checks many folders: the start of Python takes longer than a check. */
export interface Checker {
  /** Returns the findings of `verify.py`, by the folder of the pack. */
  check(folder: string, keyFile: string | null): Promise<Readonly<Record<string, readonly string[]>>>
  stop(): Promise<void>
}

export function startVerifyPy(): Checker {
  const child: ChildProcess = spawn(PYTHON ?? 'python3', ['-c', SERVER, VERIFY_PY], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const { stdin, stdout } = child
  if (stdin === null || stdout === null) throw new Error('python3 has no pipes')
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
  return {
    async check(folder, keyFile) {
      stdin.write(`${JSON.stringify([folder, keyFile])}\n`)
      const { value, done } = await lines.next()
      if (done === true) throw new Error(`verify.py failed in ${folder}`)
      return JSON.parse(value)
    },
    async stop() {
      stdin.end()
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}
