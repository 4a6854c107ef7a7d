import { expect } from 'vitest'
import { runInProcess } from './in-process.ts'
import { workspaceOfSmallEvent } from './small-workspace.ts'

export const ESC = '\u001b'
export const ERASED = new RegExp(`\\r${ESC}\\[(\\d+)A${ESC}\\[J`)

/** Expects that no step is shown with the option. */
export async function expectNoStep(option: string, isTerminal: boolean) {
  const { workspace } = await workspaceOfSmallEvent()
  const { folder, env } = workspace
  const { code, stderr } = await runInProcess([option, 'run'], { folder, env, isTerminal })
  expect(code).toBe(0)
  expect(stderr).not.toContain('/7]')
  expect(stderr).not.toMatch(ERASED)
}
