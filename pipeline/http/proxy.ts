import { BlockList, isIP } from 'node:net'
import { isLoopback } from '../settings/addresses.ts'
import { ConfigError } from '../settings/errors.ts'
import { resolveSecret, type SecretEnvironment } from '../settings/secrets.ts'
import { isReference } from '../settings/values.ts'

/**
 * A proxy through which requests are sent. `address` and `shown`, which messages print, do not contain the
 * credentials.
 */
export interface HttpProxy {
  /** Address of the proxy without user name and password. */
  readonly address: URL
  /** Host and port of the proxy, for messages. */
  readonly shown: string
  /** The key or variable that names the proxy, for messages. Examples: `http.proxy`, `HTTPS_PROXY`. */
  readonly namedBy: string
  /** Returns the value of the header `Proxy-Authorization`; null if the proxy needs no credentials. */
  authorization(): string | null
}

/**
 * Prefix of the error code for an error of a proxy. After the prefix comes the status of the proxy's answer,
 * or the error code of the connection.
 */
export const PROXY_FAULT = 'PROXY '

/** Text after `PROXY_FAULT` if the server that answered is not an HTTP proxy. */
export const NO_PROXY_ANSWER = 'no answer of a proxy'

/** Returns the proxy for an address; null if requests are sent without a proxy. */
export type ProxyOf = (url: URL) => HttpProxy | null

export const noProxy: ProxyOf = () => null

/**
 * Chooses the proxy for an address. If `http.proxy` is set, it is used. If `http.proxy` is not set,
 * `HTTPS_PROXY` or `HTTP_PROXY` is used, depending on the scheme of the address. Hosts in `NO_PROXY` are
 * reached without any proxy. A variable in lower case takes precedence over the same variable in capitals.
 *
 * @param proxy value of `http.proxy`: an address, or a reference to a secret address
 * @throws ConfigError if a proxy is not an http or https address; the message does not show the value
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
    // For a proxy on another machine, a loopback address would mean that other machine.
    return isLoopback(url.hostname) && !isLoopback(chosen.address.hostname) ? null : chosen
  }
}

/**
 * Reads an environment variable, in lower case or in capitals.
 *
 * @returns its name and value; if both are set, lower case; if none is set, an empty value
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
  // An address without a scheme, such as `proxy.example:3128`, is accepted, as other tools do.
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
 * Returns true if the address of a proxy has more text after its host and port. If a user name or password
 * contains an unescaped `/`, `#`, `?` or backslash, the host ends at that character. Messages would then
 * print the user name and the beginning of the password as the host and port of the proxy.
 */
function hasMoreThanHost(value: string, { pathname, search, hash }: URL): boolean {
  return (pathname !== '' && pathname !== '/') || search !== '' || hash !== '' || value.includes('\\')
}

/**
 * Decodes percent escapes. A percent sign without two hexadecimal digits is not decoded, because people often
 * forget to escape a percent sign in a password.
 */
function unescaped(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'),
  )
}

const ENTRY = /^(?<host>\[[^\]]+\]|[^:]+)(?::(?<port>\d{1,5}))?$/

/**
 * Parses `NO_PROXY`. An entry is a host name, an address or a network such as `10.0.0.0/8`. Each entry of
 * `NO_PROXY` can have a port. A host name includes its subdomains. A host name may begin with a dot or `*.`,
 * and may end with a dot. `*` exempts all hosts.
 *
 * The common library for this is not used: it reads the environment of the process, and supports neither
 * networks nor subdomains.
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

/**
 * Parses an address or a network such as `10.0.0.0/8`.
 *
 * @returns null if the text is neither an address nor a network
 */
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
