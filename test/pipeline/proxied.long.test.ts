import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sampleEvent } from '../../pipeline/demo/sample-event.ts'
import { startHttpProxy } from '../harness/http-proxy.ts'
import { startSamplePlatform } from '../harness/sample-platform/start.ts'
import { startSampleSourceB } from '../harness/sample-source/b.ts'
import { credentialsOfB, integrationOfB } from './commands/small-event.ts'
import { makeWorkspace } from './commands/workspace.ts'
import { startReceiver } from './observe/receiver.ts'

const portOf = (url: string) => Number(new URL(url).port)
const LOGIN = 'ada:canary-password'

/**
 * Makes a workspace in which only the proxy can resolve the host names of source, platform, webhook and
 * lineage.
 */
async function behindProxy() {
  const workspace = await makeWorkspace('postgres')
  const source = await startSampleSourceB(sampleEvent.b)
  const platform = await startSamplePlatform({ storage: join(workspace.folder, 'platform') })
  const receiver = await startReceiver()
  const proxy = await startHttpProxy({
    ports: {
      'source.example': portOf(source.url),
      'platform.example': portOf(platform.url),
      'hook.example': portOf(receiver.url),
      'lineage.example': portOf(receiver.url),
    },
    demands: LOGIN,
  })
  onTestFinished(async () => {
    await Promise.all([source.close(), platform.close(), proxy.close()])
  })
  Object.assign(workspace.env, credentialsOfB, { TOKEN: platform.token })
  const { eventId } = platform
  const configure = (http: Readonly<Record<string, unknown>> = {}) =>
    workspace.configure({
      integrations: [
        {
          ...integrationOfB('expo', 'http://source.example'),
          platform: { type: 'http', url: 'http://platform.example', eventId, token: 'env:TOKEN' },
          passwords: { mode: 'none' },
        },
      ],
      webhook: { url: 'http://hook.example/runs', on: ['finished', 'failed'] },
      lineage: { to: 'http://lineage.example/events' },
      http: { retryBudgetSeconds: 0, ...http },
    })
  configure()
  return { workspace, proxy, configure, address: `http://${LOGIN}@127.0.0.1:${proxy.port}` }
}

const hostsOf = (requests: readonly string[]) =>
  [...new Set(requests.map((request) => new URL(request.split(' ')[1] ?? '').hostname))].sort()

test('all connections use the proxy, and no output or file contains the password of the proxy', async () => {
  const { workspace, proxy, configure, address } = await behindProxy()
  workspace.env.HTTP_PROXY = address
  const ended = await workspace.run('run', '--insecure-http', '--log-level', 'debug')
  expect({ code: ended.code, stderr: ended.code === 0 ? '' : ended.stderr }).toEqual({ code: 0, stderr: '' })
  expect(hostsOf(proxy.requests)).toEqual([
    'hook.example',
    'lineage.example',
    'platform.example',
    'source.example',
  ])
  expect(proxy.requests).toContain('POST http://source.example/api/v1/oauth2/token.json')

  const checked = await workspace.run('check', '--insecure-http')
  const shown = `127.0.0.1:${proxy.port} (HTTP_PROXY)`
  expect(checked.stdout).toMatch(
    /^ *ok +proxy +the source is reached through .*; the platform is reached through /m,
  )
  expect(checked.stdout).toContain(`the source is reached through ${shown}`)
  expect(checked.stdout).toContain(`hook.example can be used, through the proxy ${shown}`)

  workspace.env.HTTP_PROXY = 'http://127.0.0.1:1'
  configure({ proxy: 'env:OUR_PROXY' })
  workspace.env.OUR_PROXY = address
  expect((await workspace.run('run', '--insecure-http')).code).toBe(0)
  workspace.env.NO_PROXY = 'platform.example'
  const exempt = await workspace.run('check', '--insecure-http')
  expect(exempt.stdout).toContain('; the platform is reached without a proxy')

  const files = workspace.files().filter((file) => file.startsWith('out/'))
  const kept = files.map((file) => workspace.read(file)).join('\n')
  for (const text of [ended, checked, exempt].map(({ stdout, stderr }) => stdout + stderr).concat(kept)) {
    expect(text).not.toContain('canary')
    expect(text).not.toContain(Buffer.from(LOGIN).toString('base64'))
  }
})

test.each([
  [
    'does not listen',
    'http://ada:canary@127.0.0.1:1',
    /the connection to the proxy 127\.0\.0\.1:1 failed \(ECONNREFUSED\)/,
  ],
  [
    'has no address',
    'http://ada:canary@proxy.invalid:3128',
    /the connection to the proxy proxy\.invalid:3128 failed/,
  ],
])(
  'a run fails and names the proxy if the proxy %s, although DNS knows none of the hosts',
  async (_, proxy, message) => {
    const { workspace } = await behindProxy()
    workspace.env.HTTP_PROXY = proxy
    for (const command of ['run', 'check']) {
      const { code, stdout, stderr } = await workspace.run(command, '--insecure-http')
      expect([command, code]).toEqual([command, 1])
      expect(stdout + stderr).toMatch(message)
      expect(stdout + stderr).not.toContain('canary')
    }
  },
)

test('if the proxy needs a password or cannot be used, the error says what to do', async () => {
  const { workspace, proxy } = await behindProxy()
  workspace.env.HTTP_PROXY = `http://127.0.0.1:${proxy.port}`
  const refused = await workspace.run('run', '--insecure-http')
  expect(refused.code).toBe(1)
  expect(refused.stderr + refused.stdout).toMatch(
    /the proxy 127\.0\.0\.1:\d+ answered 407: it wants a user name and a password: put them into HTTP_PROXY/,
  )
  workspace.env.HTTP_PROXY = 'socks5://ada:canary@127.0.0.1:1080'
  for (const [command, code] of [
    ['run', 64],
    ['check', 1],
  ] as const) {
    const ended = await workspace.run(command, '--insecure-http')
    expect([command, ended.code]).toEqual([command, code])
    expect(ended.stdout + ended.stderr).toContain(
      'HTTP_PROXY: the proxy is not an http or https address (not shown)',
    )
    expect(ended.stdout + ended.stderr).not.toContain('canary')
  }
})
