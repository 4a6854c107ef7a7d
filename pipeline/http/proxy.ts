import { BlockList, isIP } from 'node:net'
import { isLoopback } from '../settings/addresses.ts'
import { ConfigError } from '../settings/errors.ts'
import { resolveSecret, type SecretEnvironment } from '../settings/secrets.ts'
import { isReference } from '../settings/values.ts'

/** A proxy for requests. The parts that are printed do not contain its credentials. */
export interface HttpProxy {
  /** Address without user name and password. */
  readonly address: URL
  /** Host and port, for messages. */
  readonly shown: string
  /** The key or variable that names the proxy, for messages: `http.proxy`, `HTTPS_PROXY`. */
  readonly namedBy: string
  /** Returns the value of the header `Proxy-Authorization`; null without user name and password. */
  authorization(): string | null
}

/** Prefix of the error code for a fault of a proxy. A status or the error code of the connection follows. */
export const PROXY_FAULT = 'PROXY '

/** Follows `PROXY_FAULT` if the server that answered is not an http proxy. */
export const NO_PROXY_ANSWER = 'no answer of a proxy'

/** Returns the proxy for an address; null if requests go there directly. */
export type ProxyOf = (url: URL) => HttpProxy | null

export const noProxy: ProxyOf = () => null

/**
 * Chooses the proxy: `http.proxy`, or else `HTTPS_PROXY` or `HTTP_PROXY` depending on the scheme of the
 * address. `NO_PROXY` exempts hosts from all of them. A variable in lower case takes precedence over the same
 * variable in capitals.
 *
 * @param proxy `http.proxy`: an address, or a reference to an address
 * @throws ConfigError, without the value, if a proxy is not an http or https address
 */
export function chooseProxies(proxy: string | undefined, secrets: SecretEnvironment): ProxyOf {
  const { env } = secrets
  const [https, http] = ['https', 'http'].map((scheme) => {
    if (proxy !== undefined) {
      const value = isReference(proxy) ? resolveSecret(proxy, secrets, 'http.proxy').reveal() : proxy
      return parseProxy(value, 'http.proxy')
    }
    const [name, value] = variable(env, `${scheme}_proxy`)
    return value === '' ? null : parseProxy(value, name)
  })
  const [, exempt] = variable(env, 'no_proxy')
  const isExempt = exemptions(exempt)
  return (url) => {
    const chosen = (url.protocol === 'https:' ? https : http) ?? null
    if (chosen === null || isExempt(url)) return null
    // For a proxy on another machine, a loopback address would mean that machine.
    return isLoopback(url.hostname) && !isLoopback(chosen.address.hostname) ? null : chosen
  }
}

/**
 * @returns name and value of a variable in lower case, or else in capitals; an empty value if both are unset
 */
function variable(env: SecretEnvironment['env'], name: string): readonly [name: string, value: string] {
  for (const spelling of [name, name.toUpperCase()]) {
    const value = env[spelling]?.trim() ?? ''
    if (value !== '') return [spelling, value]
  }
  return [name, '']
}

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i

function parseProxy(value: string, namedBy: string): HttpProxy {
  // Other tools also accept `proxy.example:3128`.
  const url = URL.parse(SCHEME.test(value) ? value : `http://${value}`)
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '' || hasMoreThanHost(value, url)) {
    throw new ConfigError(`${namedBy}: the proxy is not an http or https address (not shown)`, {
      todo: 'set it to an address such as http://proxy.example:3128, without a path, or remove it; write / # ? \\ in a user name or password as %2F %23 %3F %5C; proxies of other kinds, such as SOCKS, cannot be used',
    })
  }
  const { username, password, protocol, hostname, port } = url
  const shownPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port
  return {
    address: new URL(`${protocol}//${hostname}:${shownPort}`),
    shown: `${hostname}:${shownPort}`,
    namedBy,
    authorization() {
      if (username === '' && password === '') return null
      return `Basic ${Buffer.from(`${unescaped(username)}:${unescaped(password)}`).toString('base64')}`
    },
  }
}

/**
 * Returns true if an address has more text after host and port. An unescaped `/`, `#`, `?` or backslash in a
 * user name or password ends the host at that character. The user name and the start of the password would
 * then be printed as host and port of the proxy.
 */
function hasMoreThanHost(value: string, { pathname, search, hash }: URL): boolean {
  return (pathname !== '' && pathname !== '/') || search !== '' || hash !== '' || value.includes('\\')
}

/**
 * Decodes percent escapes. A percent sign without two hex digits is kept, because people often forget to
 * escape a percent sign in a password.
 */
function unescaped(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'),
  )
}

const ENTRY = /^(?<host>\[[^\]]+\]|[^:]+)(?::(?<port>\d{1,5}))?$/

/**
 * Parses `NO_PROXY`. An entry is a host name, an address or a network such as `10.0.0.0/8`, with or without a
 * port. A host name includes its subdomains; it may have a dot or `*.` in front and a dot at the end. `*`
 * exempts all hosts.
 *
 * This is not done by the common library, because that library reads the environment of the process itself
 * and supports neither networks nor subdomains.
 */
function exemptions(list: string): (url: URL) => boolean {
  const entries = list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map(matcherOf)
  return ({ hostname, port, protocol }) => {
    const host = hostname.toLowerCase().replace(/^\[|\]$|\.$/g, '')
    const usedPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port
    return entries.some((matches) => matches(host, usedPort))
  }
}

function matcherOf(entry: string): (host: string, port: string) => boolean {
  if (entry === '*') return () => true
  const { host: written = entry, port: own } = isIP(entry) === 6 ? {} : (ENTRY.exec(entry)?.groups ?? {})
  const name = written.replace(/^\[|\]$/g, '').replace(/^\*?\.|\.$/g, '')
  const network = networkOf(name)
  return (host, port) => {
    if (own !== undefined && own !== port) return false
    const family = isIP(host)
    if (family !== 0) return network?.check(host, family === 6 ? 'ipv6' : 'ipv4') ?? false
    return host === name || host.endsWith(`.${name}`)
  }
}

/** Parses an address or a network. @returns null if the text is neither an address nor a network */
function networkOf(text: string): BlockList | null {
  const [address = '', bits] = text.split('/')
  const family = isIP(address)
  const most = family === 6 ? 128 : 32
  const prefix = Number(bits ?? most)
  if (family === 0 || !/^\d{1,3}$/.test(bits ?? '0') || prefix > most) return null
  const network = new BlockList()
  network.addSubnet(address, prefix, family === 6 ? 'ipv6' : 'ipv4')
  return network
}
