import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Machine } from './commands.ts'

/** The library that shows a process another time; `FAKETIME` says by how much its clock is wrong. */
const FAKETIME = process.env.FAKETIME_LIBRARY ?? '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1'

/** Names what this machine lacks to have machines of its own; null if nothing is missing. */
export function missingForMachines(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux has namespaces'
  for (const program of ['ip', 'nft', 'sysctl'])
    if (spawnSync(program, ['--version']).error !== undefined) return `no ${program}`
  return existsSync(FAKETIME) ? null : 'no libfaketime (set FAKETIME_LIBRARY=path)'
}

/** What a machine no longer reaches: everything, or only the server that listens on a port. */
export type Cut = 'everything' | { readonly port: number }

/** A machine with its own network: a network namespace. Its `127.0.0.1` is that of the machine of the servers. */
export interface NetworkMachine extends Machine {
  readonly name: string
  /** Address by which the servers see the machine. */
  readonly address: string
  /** Drops packets silently, as a firewall or a pulled cable does. */
  cut(what: Cut): void
  mend(): void
}

const BRIDGE = 'event-sync'
/** A private network that hardly any machine uses. */
const NETWORK = '10.213.7'

/**
 * Makes machines that are connected to this one by a bridge. Connections of a machine to its own `127.0.0.1` go
 * to the servers of this process, so that one configuration works on each machine.
 *
 * @param clocks one machine for each entry: by how many milliseconds its clock is late (negative) or early
 * @param databasePort port of the PostgreSQL server, which trusts only connections from 127.0.0.1
 * @returns the machines, and a function that removes them
 */
export function makeMachines(
  clocks: readonly number[],
  databasePort: number,
): {
  readonly machines: readonly NetworkMachine[]
  remove(): void
} {
  remove(clocks.length)
  ip('link', 'add', BRIDGE, 'type', 'bridge')
  ip('addr', 'add', `${NETWORK}.1/24`, 'dev', BRIDGE)
  ip('link', 'set', BRIDGE, 'up')
  run('sysctl', ['-qw', `net.ipv4.conf.${BRIDGE}.route_localnet=1`])
  nft(
    [],
    `table ip ${BRIDGE} {
    chain arriving {
      type nat hook prerouting priority -100;
      iifname ${BRIDGE} ip daddr ${NETWORK}.1 dnat to 127.0.0.1
    }
    chain arrived {
      type nat hook input priority 100;
      iifname ${BRIDGE} tcp dport ${databasePort} snat to 127.0.0.1
    }
  }`,
  )
  return {
    machines: clocks.map((clockMs, place) => makeMachine(place, clockMs)),
    remove: () => remove(clocks.length),
  }
}

function makeMachine(place: number, clockMs: number): NetworkMachine {
  const name = nameOf(place)
  const address = `${NETWORK}.${place + 11}`
  const inside = ['netns', 'exec', name]
  ip('netns', 'add', name)
  ip('link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
  ip('link', 'set', name, 'master', BRIDGE, 'up')
  nft([], `add chain ip ${BRIDGE} ${name} { type filter hook prerouting priority -300; }`)
  ip('-n', name, 'addr', 'add', `${address}/24`, 'dev', 'eth0')
  ip('-n', name, 'link', 'set', 'lo', 'up')
  ip('-n', name, 'link', 'set', 'eth0', 'up')
  ip('-n', name, 'route', 'add', 'default', 'via', `${NETWORK}.1`)
  ip(...inside, 'sysctl', '-qw', 'net.ipv4.conf.all.route_localnet=1')
  nft(
    ['ip', ...inside],
    `table ip ${BRIDGE} {
    chain dropped { type filter hook prerouting priority -300; }
    chain leaving {
      type nat hook output priority -100;
      oifname lo ip daddr 127.0.0.1 dnat to ${NETWORK}.1
    }
    chain left {
      type nat hook postrouting priority 100;
      ip daddr ${NETWORK}.1 masquerade
    }
  }`,
  )
  return {
    name,
    address,
    starter: ['ip', ...inside, process.execPath],
    variables: {
      LD_PRELOAD: FAKETIME,
      FAKETIME: `${clockMs < 0 ? '' : '+'}${clockMs / 1000}`,
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    clockMs,
    cut(what) {
      // Each side drops what arrives. A sender whose own side dropped a packet would be told.
      const port = what === 'everything' ? ['', ''] : [`tcp dport ${what.port}`, `tcp sport ${what.port}`]
      nft([], `add rule ip ${BRIDGE} ${name} ip saddr ${address} ${port[0]} drop`)
      nft(['ip', ...inside], `add rule ip ${BRIDGE} dropped iifname eth0 ${port[1]} drop`)
    },
    mend() {
      nft([], `flush chain ip ${BRIDGE} ${name}`)
      nft(['ip', ...inside], `flush chain ip ${BRIDGE} dropped`)
    },
  }
}

function nameOf(place: number): string {
  return `worker${place + 1}`
}

/** Removes the machines, also those of a process that was killed. */
function remove(count: number): void {
  for (let place = 0; place < count; place += 1)
    spawnSync('ip', ['netns', 'delete', nameOf(place)], { stdio: 'ignore' })
  for (let place = 0; place < count; place += 1)
    spawnSync('ip', ['link', 'delete', nameOf(place)], { stdio: 'ignore' })
  spawnSync('ip', ['link', 'delete', BRIDGE], { stdio: 'ignore' })
  spawnSync('nft', ['delete', 'table', 'ip', BRIDGE], { stdio: 'ignore' })
}

function ip(...args: readonly string[]): void {
  run('ip', args)
}

function nft(before: readonly string[], rules: string): void {
  const [program = 'nft', ...args] = [...before, 'nft', '-f', '-']
  run(program, args, rules)
}

function run(program: string, args: readonly string[], input = ''): void {
  execFileSync(program, [...args], { input, stdio: ['pipe', 'ignore', 'pipe'] })
}
