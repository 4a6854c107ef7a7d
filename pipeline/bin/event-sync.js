#!/usr/bin/env node
// Starts the command with a runtime that is new enough. Plain JavaScript, since it must run under Node 20 too.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import * as module from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const OLDEST = 24
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const cli = join(root, 'dist', 'pipeline', 'cli.js')
// The compile cache is in the package's folder: Node trusts it, so nobody else may write it.
const compiled = join(root, 'node_modules', '.cache', 'event-sync')

if (!existsSync(cli)) {
  console.error('event-sync is not built: run `npm run build` in its folder')
  process.exitCode = 1
} else if (process.versions.pnp !== undefined) {
  // Plug'n'Play does not implement all file operations of Node, so a run would fail when it sends.
  console.error(
    "event-sync does not run with Yarn's Plug'n'Play: write nodeLinker: node-modules in .yarnrc.yml and install again",
  )
  process.exitCode = 1
} else if (Number(process.versions.node.split('.')[0]) >= OLDEST) {
  module.enableCompileCache(compiled)
  await import(new URL('../../dist/pipeline/cli.js', import.meta.url).href)
} else {
  restart()
}

/** Runs the command with the Node that came with the package, as the same process would: signals, exit code. */
function restart() {
  const node = broughtNode()
  if (node === null) {
    console.error(
      `event-sync needs Node ${OLDEST} or newer; this is ${process.version}, and none came for ${process.platform}-${process.arch}`,
    )
    process.exitCode = 1
    return
  }
  const EVENT_SYNC_LAUNCHED_BY = `${process.pid} ${process.ppid}`
  const env = { NODE_COMPILE_CACHE: compiled, ...process.env, EVENT_SYNC_LAUNCHED_BY }
  const child = spawn(node, [cli, ...process.argv.slice(2)], { stdio: 'inherit', env })
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    console.error(`event-sync cannot start ${node}: ${error.message}`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal]
  })
}

function broughtNode() {
  const system = process.platform === 'win32' ? 'win' : process.platform
  const file = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node'
  try {
    return module.createRequire(import.meta.url).resolve(`node-${system}-${process.arch}/${file}`)
  } catch {
    return null
  }
}
