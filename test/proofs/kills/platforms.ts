import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { lookAt, type PlatformLook } from '../../harness/platform-judge.ts'
import {
  type SamplePlatform,
  samplePlatformDefaults,
  startSamplePlatform,
} from '../../harness/sample-platform/start.ts'
import { PASSWORDS } from './canary.ts'

/** Targets to which the runs of a scenario send operations: files (`jsonl`), or a platform over HTTP. */
export const TARGETS = ['jsonl', 'http'] as const
export type Target = (typeof TARGETS)[number]

/** Number of operations in a batch: small, so that even a second sync takes several batches. */
const BATCH_SIZE = 3
/**
 * Ports for the platform. The ports are below the range from which the operating system assigns ports, so
 * that no other program takes the port between two rounds.
 */
const PORTS = { from: 20_000, count: 10_000 }

export interface SeenPlatform extends PlatformLook {
  /** Number of these tests' passwords that fit the account of the last created attendee. */
  readonly passwords: number
}

/**
 * The platforms of one scenario. Each folder with a configuration has a platform, and only one platform runs
 * at a time.
 */
export interface Platforms {
  readonly integration: Readonly<Record<string, unknown>>
  /**
   * Starts the platform of a folder with a copy of the contents of another folder's platform. Returns null if
   * the target is files.
   */
  open(folder: string, from: string | null): Promise<SamplePlatform | null>
}

export async function openPlatforms(target: Target): Promise<Platforms> {
  if (target === 'jsonl') return { integration: { platform: { type: 'jsonl' } }, open: async () => null }
  // All platforms use the same port, because an integration is bound to the platform's address of its first
  // run.
  const port = await freePort()
  const { eventId } = samplePlatformDefaults
  const address = { url: `http://127.0.0.1:${port}`, eventId, token: 'env:PLATFORM_TOKEN' }
  return {
    integration: {
      platform: { type: 'http', ...address, batchSize: BATCH_SIZE },
      passwords: { mode: 'random', storeEncryptedPassword: true },
    },
    async open(folder, from) {
      const storage = join(folder, 'platform')
      mkdirSync(storage, { recursive: true })
      const before = join(from ?? '', 'platform')
      if (from !== null && existsSync(before)) cpSync(before, storage, { recursive: true })
      return startSamplePlatform({ storage, port })
    },
  }
}

export async function seen(platform: SamplePlatform | null): Promise<SeenPlatform | null> {
  if (platform === null) return null
  const look = await lookAt(platform)
  const last = look.ledger.findLast(({ effect, passwordGiven }) => effect === 'created' && passwordGiven)
  let passwords = 0
  for (const password of last === undefined ? [] : PASSWORDS)
    if ((await platform.control('password', { uniqueId: last?.uniqueId ?? '', password })).matches)
      passwords += 1
  return { ...look, passwords }
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
