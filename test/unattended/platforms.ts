import { mkdirSync } from 'node:fs'
import {
  type ControlAnswer,
  type ControlName,
  controlAnswers,
} from '../../pipeline/demo/sample-platform/control-answers.ts'
import { samplePlatformDefaults } from '../../pipeline/demo/sample-platform/options.ts'
import { startServer } from '../../pipeline/demo/sample-platform/server.ts'
import { lookAt, type PlatformLook } from '../support/platform-judge.ts'

/** A sample platform within this process: hundreds of processes would be more than a machine has room for. */
export interface OwnPlatform {
  /** What an integration says of it. */
  readonly config: Readonly<Record<string, unknown>>
  look(): Promise<PlatformLook>
}

export const PLATFORM_TOKEN = samplePlatformDefaults.token

/** @param storage folder of its own; it ends with this process */
export async function openOwnPlatform(storage: string, fail: (what: string) => void): Promise<OwnPlatform> {
  mkdirSync(storage, { recursive: true })
  const options = { ...samplePlatformDefaults, storage, pageSize: 1000 }
  const surroundings = { tell: () => undefined, giveUp: () => fail(`the platform in ${storage} gave up`) }
  const url = await startServer(options, surroundings)
  const platform = {
    async control<Name extends ControlName>(name: Name): Promise<ControlAnswer<Name>> {
      const headers = { authorization: `Bearer ${PLATFORM_TOKEN}` }
      const response = await fetch(`${url}/control/${name}`, { headers })
      return controlAnswers[name].parse(await response.json()) as ControlAnswer<Name>
    },
  }
  return {
    config: {
      platform: { type: 'http', url, eventId: options.eventId, token: 'env:PLATFORM_TOKEN', batchSize: 8 },
      passwords: { mode: 'none' },
    },
    look: () => lookAt(platform),
  }
}
