import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { FaultOrder } from '../../pipeline/demo/sample-platform/faults.ts'
import { samplePlatformDefaults } from '../../pipeline/demo/sample-platform/options.ts'
import { type SamplePlatform, startSamplePlatform } from '../../pipeline/demo/sample-platform/start.ts'
import { lookAt, type PlatformLook } from '../support/platform-judge.ts'
import { PASSWORDS } from './canary.ts'

/** What the runs of a lane write to: files, or a platform over HTTP. */
export const TARGETS = ['jsonl', 'http'] as const
export type Target = (typeof TARGETS)[number]

/** Small, so that even a second sync takes several. */
const BATCH_SIZE = 3
/** Below the ports that a machine gives to connections, so that nobody takes it between two rounds. */
const PORTS = { from: 20_000, count: 10_000 }

/** What the runs of a folder write to. */
export interface Platform {
  /** Null where it is files. */
  look(): Promise<SeenPlatform | null>
  /** Makes the platform misbehave from now on, beside the faults that it has for good. */
  play(faults: readonly FaultOrder[]): Promise<void>
  close(): Promise<void>
}

export interface SeenPlatform extends PlatformLook {
  /** Passwords of this folder's tests that open the account of the last attendee that was created. */
  readonly passwords: number
}

/** Platforms of one lane, each beside the configuration of a folder; one of them at a time. */
export interface Platforms {
  readonly target: Target
  /** What the integration says of it. */
  readonly integration: Readonly<Record<string, unknown>>
  /** What the configuration says beside that. */
  readonly config: Readonly<Record<string, unknown>>
  readonly variables: Readonly<Record<string, string>>
  /**
   * Opens the platform of a folder, with what another folder's has.
   *
   * @param standing faults that it has for good, whatever is played
   */
  open(folder: string, from: string | null, standing: readonly FaultOrder[]): Promise<Platform>
}

export async function openPlatforms(target: Target): Promise<Platforms> {
  return target === 'jsonl' ? jsonlPlatforms : httpPlatforms(await freePort())
}

const jsonlPlatforms: Platforms = {
  target: 'jsonl',
  integration: { platform: { type: 'jsonl' } },
  config: {},
  variables: {},
  open: async () => ({ look: async () => null, play: async () => undefined, close: async () => undefined }),
}

/** @param port of each platform: an integration is bound to the address of its first run */
function httpPlatforms(port: number): Platforms {
  const { token, eventId } = samplePlatformDefaults
  return {
    target: 'http',
    integration: {
      platform: {
        type: 'http',
        url: `http://127.0.0.1:${port}`,
        eventId,
        token: 'env:PLATFORM_TOKEN',
        batchSize: BATCH_SIZE,
      },
      passwords: { mode: 'random', storeEncryptedPassword: true },
    },
    config: { sealingKey: 'env:EVENT_SYNC_KEY' },
    variables: { PLATFORM_TOKEN: token, EVENT_SYNC_KEY: Buffer.alloc(32, 7).toString('base64') },
    async open(folder, from, standing) {
      const storage = storageOf(folder)
      mkdirSync(storage, { recursive: true })
      if (from !== null && existsSync(storageOf(from))) cpSync(storageOf(from), storage, { recursive: true })
      return openPlatform(await startSamplePlatform({ storage, port }), standing)
    },
  }
}

function storageOf(folder: string): string {
  return join(folder, 'platform')
}

/** @param standing faults that it has from the start, for good */
async function openPlatform(platform: SamplePlatform, standing: readonly FaultOrder[]): Promise<Platform> {
  const play = async (faults: readonly FaultOrder[]) =>
    void (await platform.control('faults', [...standing, ...faults]))
  await play([])
  return {
    play,
    async look() {
      const look = await lookAt(platform)
      const last = look.ledger.findLast(({ effect, passwordGiven }) => effect === 'created' && passwordGiven)
      let passwords = 0
      for (const password of last === undefined ? [] : PASSWORDS) {
        const { matches } = await platform.control('password', { uniqueId: last?.uniqueId, password })
        if (matches) passwords += 1
      }
      return { ...look, passwords }
    },
    close: () => platform.close(),
  }
}

async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.from + Math.floor(Math.random() * PORTS.count)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
