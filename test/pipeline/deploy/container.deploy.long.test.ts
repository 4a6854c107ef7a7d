import { execFileSync } from 'node:child_process'
import {
  chownSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { packageRoot } from '../../../pipeline/runtime/package-root.ts'
import { packInto } from '../../package/contents.ts'
import { full } from '../../sources/sessionize/full.ts'
import { serveSessionize } from '../../sources/sessionize/serve.ts'
import { start } from '../commands/command-line.ts'
import { begin, NOTHING_PLANNED } from '../commands/rename-small-event.ts'
import { holdBack } from '../commands/scripted-source.ts'
import { integrationOfA } from '../commands/small-event.ts'
import type { Workspace } from '../commands/workspace.ts'
import { DEPLOY, readDockerfile } from './dockerfile.ts'
import { buildImage, command, type Image } from './image.ts'

const isAble = process.platform === 'linux' && process.getuid?.() === 0
const UID = 1000

describe.runIf(isAble)(
  'the Dockerfile, executed step by step (skipped: only root on Linux can mount)',
  () => {
    let folder: string
    let image: Image

    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'event-sync-image-'))
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=755', 'tmpfs', folder])
      const context = join(folder, 'context')
      mkdirSync(context)
      packInto(context)
      const install = 'npm init -y && npm install ./event-content-sync-*.tgz --no-audit --no-fund'
      execFileSync('sh', ['-c', install], { cwd: context, stdio: 'ignore' })
      image = buildImage(readDockerfile(), context, folder, join(packageRoot, 'node_modules/.bin/node'))
    }, 600_000)
    afterAll(() => {
      execFileSync('umount', [folder])
      rmSync(folder, { recursive: true })
    })

    /** Makes a folder for the packs of a workspace, which belongs to the user of the container, as a volume does. */
    async function place() {
      const begun = await begin()
      const output = join(begun.workspace.folder, 'out')
      mkdirSync(output, { mode: 0o700 })
      chownSync(output, UID, UID)
      return { ...begun, output }
    }

    const inContainer = ({ folder, env }: Workspace, words: readonly string[], user = image.user) =>
      command(image.layers, words, {
        ...{ user, workdir: image.workdir, env: { ...env, HOME: '/' } },
        mounts: {
          [image.workdir]: `${folder}/:ro`,
          [`${image.workdir}/out`]: `${join(folder, 'out')}/`,
        },
      })

    /** Starts the program of the image with a command, or with the CMD of the Dockerfile on a port of its own. */
    function startContainer(workspace: Workspace, words: readonly string[]) {
      const [program, ...args] = inContainer(workspace, [...image.entrypoint, ...words])
      const started = start(program, args, { folder: workspace.folder })
      onTestFinished(() => started.kill('SIGKILL'))
      /** Sends a signal to process 1 of the container, as `docker stop` does. */
      const stop = () => execFileSync('pkill', ['--signal', 'SIGTERM', '--parent', String(started.pid)])
      return { ...started, stop }
    }

    function execute(workspace: Workspace, words: readonly string[], user?: string) {
      const [program, ...args] = inContainer(workspace, words, user)
      return start(program, args, { folder: workspace.folder }).ended
    }

    const withPort = (words: readonly string[], port: number) =>
      words.map((word) => word.replaceAll('8080', String(port)))

    test('a run works as another user on a read-only file system, and writes only to the output folder', async () => {
      const { workspace, output } = await place()
      const { code, stderr } = await startContainer(workspace, ['run']).ended
      expect([code, stderr]).toEqual([0, expect.anything()])
      const owners = execFileSync('find', [output, '-printf', '%U %m\n'], { encoding: 'utf8' })
      expect(new Set(owners.trim().split('\n'))).toEqual(new Set([`${UID} 600`, `${UID} 700`]))
    })

    test('a run works with a user id that the image does not know, as Kubernetes may choose', async () => {
      const { workspace, output } = await place()
      chownSync(output, 10_001, 10_001)
      const { code, stderr } = await execute(workspace, [...image.entrypoint, 'run'], '10001:10001')
      expect([code, stderr]).toEqual([0, expect.anything()])
    })

    test('files with integrations, a source of your own and a secret in a file work where compose.yaml mounts them', async () => {
      const { source, workspace } = await place()
      const sessions = await serveSessionize(
        Object.fromEntries(Object.entries(full).map(([k, one]) => [k, [one]])),
      )
      onTestFinished(sessions.close)
      const { folder, env } = workspace
      for (const name of ['customers', 'sources', 'secrets']) mkdirSync(join(folder, name))
      workspace.configure({
        sealingKey: 'file:secrets/key',
        integrations: ['./customers/*.yaml', integrationOfA('summit', source.url)],
      })
      const own = {
        id: 'spring',
        source: {
          type: '../sources/sessionize.ts',
          url: sessions.url,
          eventId: 'spring',
          timeZone: 'Europe/Vienna',
        },
        content: ['agenda', 'speakers'],
        platform: { type: 'jsonl' },
      }
      writeFileSync(join(folder, 'customers', 'spring.yaml'), JSON.stringify(own))
      cpSync(
        join(packageRoot, 'test/sources/sessionize/sessionize.ts'),
        join(folder, 'sources/sessionize.ts'),
      )
      writeFileSync(join(folder, 'secrets', 'key'), `${env.EVENT_SYNC_KEY}\n`)
      const { EVENT_SYNC_KEY: _, ...others } = env
      const { code, stderr } = await startContainer({ ...workspace, env: others }, ['--insecure-http', 'run'])
        .ended
      expect([code, stderr]).toEqual([0, expect.anything()])
      const { runs } = await workspace.report('runs')
      expect(runs.map(({ integration, status }) => `${integration} ${status}`).sort()).toEqual([
        'spring finished',
        'summit finished',
      ])
    })

    test('nothing but /tmp and the output folder is writable', async () => {
      const { workspace } = await place()
      const paths = ['/', '/app', '/usr/local/bin', '/srv/event-sync', '/tmp', '/srv/event-sync/out']
      const script = paths.map((path) => `touch ${path}/new 2> /dev/null && echo ${path}`).join('; ')
      expect((await execute(workspace, ['sh', '-c', script])).stdout).toBe('/tmp\n/srv/event-sync/out\n')
      expect((await execute(workspace, ['sh', '-c', script], '0:0')).stdout).toBe('/tmp\n')
    })

    test('HEALTHCHECK is healthy while a worker lives; at SIGTERM, process 1 finishes its run and ends with 143', async () => {
      const { source, workspace } = await place()
      const port = await freePort()
      const { script, asked, release } = holdBack('Users', 0)
      source.script = script
      expect((await startContainer(workspace, ['schedule', '--now']).ended).code).toBe(0)
      const isHealthy = async () => (await execute(workspace, withPort(image.healthcheck, port))).code === 0
      expect(await isHealthy()).toBe(false)
      const worker = startContainer(workspace, withPort(image.cmd, port))
      await asked
      expect(await isHealthy()).toBe(true)
      worker.stop()
      await worker.seen('stop')
      release()
      const { code, stderr } = await worker.ended
      expect([code, stderr]).toEqual([143, expect.stringContaining('finished')])
      expect((await workspace.report('runs')).runs).toMatchObject([{ status: 'finished' }])
    })

    test('a run that SIGTERM ends is completed by the next container, and nothing is sent twice', async () => {
      const { source, workspace } = await place()
      const { script, asked } = holdBack('Users', 0)
      source.script = script
      const first = startContainer(workspace, ['run'])
      await asked
      first.stop()
      expect((await first.ended).code).toBe(143)
      source.script = async () => null
      expect((await startContainer(workspace, ['run']).ended).code).toBe(0)
      const again = await startContainer(workspace, ['run', '--json']).ended
      expect(JSON.parse(again.stdout).runs[0].changes).toEqual(NOTHING_PLANNED)
    })

    test('a second replica takes over the jobs of the first one', async () => {
      const { source, workspace } = await place()
      const { script, asked } = holdBack('Users', 0)
      source.script = script
      expect((await startContainer(workspace, ['schedule', '--now']).ended).code).toBe(0)
      const first = startContainer(workspace, withPort(image.cmd, await freePort()))
      await asked
      const second = startContainer(workspace, withPort(image.cmd, await freePort()))
      await second.seen('worker started')
      expect(second.output.stderr).not.toContain('begun')
      source.script = async () => null
      first.kill('SIGKILL')
      await second.seen('finished')
      second.stop()
      expect((await second.ended).code).toBe(143)
    })

    test('the last stage has no build tools, and adds as much to its base image as README.md says', () => {
      const programs = globSync('usr/**', { cwd: image.added })
      expect(programs).toEqual([])
      expect(readdirSync(join(image.added, 'app'))).toEqual(['node_modules'])
      const bytes = Number(execFileSync('du', ['-sb', image.added], { encoding: 'utf8' }).split('\t')[0])
      const readme = readFileSync(join(DEPLOY, 'README.md'), 'utf8')
      const [, said] = /The image adds about (\d+) MB to its base image/.exec(readme) ?? []
      expect(Math.abs(bytes / 1e6 - Number(said))).toBeLessThan(5)
    })
  },
)

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve())
  })
  const address = server.address()
  await new Promise((resolve) => {
    server.close(resolve)
  })
  return typeof address === 'object' && address !== null ? address.port : 0
}
