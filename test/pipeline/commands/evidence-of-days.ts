import { createHash, generateKeyPairSync } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import { machine } from '../../../pipeline/runtime/environment.ts'
import { PYTHON, runVerifyPy } from '../../loaders/verify/verify-py.ts'
import type { Engine } from '../../support/engines.ts'
import { begin, runOnce } from './rename-small-event.ts'
import { smallEvent } from './small-event.ts'
import type { Workspace } from './workspace.ts'

/** Sets the clock of commands that run within the process of the test to noon (UTC) of a day. */
export function onDay(day: string): void {
  const spy = vi.spyOn(machine, 'now')
  const begunMs = Date.parse(`${day}T12:00:00.000Z`) - Math.round(performance.now())
  spy.mockImplementation(() => begunMs + Math.round(performance.now()))
  onTestFinished(() => spy.mockRestore())
}

/** Returns the records of the small event, with another title of its first session. */
export function titled(title: string) {
  const [, ...others] = smallEvent.Sessions ?? []
  return {
    ...smallEvent,
    Sessions: [{ Id: 101, Title: title, TimeSlotId: 1, Speakers: [{ Id: 'u1' }] }, ...others],
  }
}

/** Makes a workspace, and a run on each of the days; each run changes one title. */
export async function runsOn(
  days: readonly string[],
  engine: Engine = 'postgres',
  top: Readonly<Record<string, unknown>> = {},
  env: Readonly<Record<string, string>> = {},
) {
  const begun = await begin(engine)
  const { workspace, source, configure } = begun
  Object.assign(workspace.env, env)
  configure('summit', {}, top)
  const runs: string[] = []
  for (const day of days) {
    onDay(day)
    source.records = titled(`Opening, as of ${day}`)
    runs.push((await runOnce(workspace)).run)
  }
  return { ...begun, runs }
}

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
export const keys = generateKeyPairSync('ed25519')
export const SIGNED = { audit: { signingKey: 'env:SIGNING_KEY' } }
export const KEY = { SIGNING_KEY: String(keys.privateKey.export({ type: 'pkcs8', format: 'pem' })) }

export function evidence(workspace: Workspace, from: string, to: string, folder = 'audit', id = 'summit') {
  return workspace.run('evidence', id, '--from', from, '--to', to, '-o', folder)
}

export const indexOf = (workspace: Workspace, folder = 'audit') =>
  JSON.parse(workspace.read(folder, 'evidence.json'))
export const shaOf = (workspace: Workspace, run: string, id = 'summit') =>
  sha256(workspace.read('out', id, run, 'manifest.json'))

/** Verifies an evidence folder with the command and with `verify.py`, which must agree. */
export async function verifyTwice(workspace: Workspace, folder = 'audit') {
  const pem = join(workspace.folder, 'auditors.pem')
  writeFileSync(pem, keys.publicKey.export({ type: 'spki', format: 'pem' }))
  const isSigned = existsSync(join(workspace.folder, folder, 'evidence.sig'))
  const args = isSigned ? ['--public-key', pem] : []
  const result = await workspace.run('verify', folder, ...args)
  if (PYTHON === null) return result
  const { code, stdout } = runVerifyPy([join(workspace.folder, folder), ...args])
  expect([code, stdout], stdout).toEqual([result.code, expect.any(String)])
  return result
}

export const DAYS = ['2031-01-01', '2031-01-10', '2031-01-20', '2031-02-01']
