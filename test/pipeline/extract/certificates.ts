import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The private key and the certificate of a server, in PEM format. */
export interface Identity {
  readonly key: string
  readonly cert: string
}

/** A certificate authority for tests, in a temporary folder. */
export interface Authority {
  readonly certificate: string
  /**
   * @param name the name in the certificate, for example `IP:127.0.0.1`
   * @param days validity in days; a negative number makes an expired certificate
   */
  issue(name: string, days?: number): Identity
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

/** Returns true if openssl is installed. Tests need openssl to make certificates. */
export function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Makes certificate authorities. `close` deletes all files of the authorities. */
export function openAuthorities(): { make(name: string): Authority; close(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'))
  const at = (file: string) => join(folder, file)
  const openssl = (...args: readonly string[]) => execFileSync('openssl', args, { stdio: 'pipe' })
  let issued = 0

  return {
    make(name) {
      const [key, cert] = [at(`${name}.key`), at(`${name}.pem`)]
      openssl('req', '-x509', ...KEY, '-keyout', key, '-out', cert, '-subj', `/CN=${name}`, '-days', '2')
      return {
        certificate: readFileSync(cert, 'utf8'),
        issue(subject, days = 2) {
          issued += 1
          const [own, request, out, names] = ['key', 'csr', 'pem', 'ext'].map((end) =>
            at(`${issued}.${end}`),
          ) as [string, string, string, string]
          writeFileSync(names, `subjectAltName=${subject}`)
          openssl('req', ...KEY, '-keyout', own, '-out', request, '-subj', '/CN=server')
          const signed = ['-CA', cert, '-CAkey', key, '-CAcreateserial', '-extfile', names]
          openssl('x509', '-req', '-in', request, ...signed, '-days', String(days), '-out', out)
          return { key: readFileSync(own, 'utf8'), cert: readFileSync(out, 'utf8') }
        },
      }
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}
