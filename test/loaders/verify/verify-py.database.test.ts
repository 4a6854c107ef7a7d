import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import {
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { csvFilesOf, INSTANT } from '../../../loaders/packs/csv-files/pack-files.ts'
import { CONTENT_MEASURES, RESOURCE_MEASURES } from '../../../transforms/reconciliation/reconcile.ts'
import { useFolder, useOneFolder } from '../../support/folder.ts'
import { useDatabase } from '../../support/use-database.ts'
import { chains } from './chains.ts'
import { type ManifestText, type Packs, packsAt, rowsIn, sha256Of, withoutRow } from './tamper.ts'
import { NO_PYTHON, PYTHON, runPython, runVerifyPy, VERIFY_PY } from './verify-py.ts'

// The verifier in Python. `forgeries.long.test.ts` compares it with `verify` on random forgeries; here are
// forgeries of each kind, with the words of both.

describe.runIf(PYTHON !== null)(PYTHON === null ? NO_PYTHON : 'verify.py', () => {
  const database = useDatabase('pglite')
  const keys = generateKeyPairSync('ed25519')
  const made = useOneFolder()
  const copies = useFolder()
  const keyFile = join(made, 'auditors.pem')
  let original = ''
  let packs: Packs

  beforeAll(async () => {
    const signingKey = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    writeFileSync(keyFile, keys.publicKey.export({ type: 'spki', format: 'pem' }))
    const make = chains['Source A, signed']
    original = (await make?.({ database: database(), output: made, signingKey })) ?? ''
  })

  beforeEach(() => {
    const folder = join(copies(), 'summit')
    cpSync(original, folder, { recursive: true })
    packs = packsAt(folder)
  })

  const rewrite = (run: number, file: string, change: (content: string) => string) =>
    packs.write(run, file, change(packs.read(run, file).toString()))
  const signedKey = ['--public-key', keyFile]

  test('runs on Python 3.9 and needs only its standard library', () => {
    const listImports = `
import ast, sys
tree = ast.parse(open(sys.argv[1], encoding="utf-8").read(), feature_version=(3, 9))
names = set()
for node in ast.walk(tree):
    if isinstance(node, ast.Import): names |= {one.name for one in node.names}
    if isinstance(node, ast.ImportFrom): names.add(node.module)
print(" ".join(sorted(names)))
print(" ".join(sorted(name for name in names if name.split(".")[0] not in sys.stdlib_module_names)))
`
    const [all = '', others] = runPython(['-c', listImports, VERIFY_PY]).stdout.split('\n')
    expect(all.split(' ')).toContain('hashlib')
    expect(others).toBe('cryptography.exceptions cryptography.hazmat.primitives.asymmetric.ed25519')
  })

  test('has the columns, values and measures that the product declares', () => {
    const print = `
import json, runpy, sys
verify = runpy.run_path(sys.argv[1])
names = ["COLUMNS", "AFTER_CUSTOM", "VALUES", "SORTED_BY", "RESOURCE_MEASURES", "CONTENT_MEASURES"]
print(json.dumps({name: verify[name] for name in names}))
`
    const declared = csvFilesOf()
    const columnsOf = (of: (file: (typeof declared)[number]) => unknown) =>
      Object.fromEntries(declared.map((file) => [file.name, of(file)]))
    const measuresOf = (measures: typeof CONTENT_MEASURES | typeof RESOURCE_MEASURES) =>
      Object.fromEntries(
        Object.entries(measures).map(([name, { isOptional, sum, from, rows }]) => [
          name,
          { optional: isOptional === true, sum, from, rows },
        ]),
      )
    const found = JSON.parse(runPython(['-c', print, VERIFY_PY]).stdout)
    const typeOf = ({ type, format }: (typeof declared)[number]['columns'][string]) =>
      format === undefined ? type : format === INSTANT ? 'instant' : 'local time'
    for (const { name, columns, afterCustom = [] } of declared) {
      const last = found.AFTER_CUSTOM[name] ?? {}
      const types = Object.entries(columns).map(([column, each]) => [column, typeOf(each)])
      // The order of columns is compared, too.
      expect(Object.entries({ ...found.COLUMNS[name], ...last })).toEqual(types)
      expect(Object.keys(last)).toEqual(afterCustom)
    }
    expect(found.VALUES).toEqual(
      columnsOf(({ columns }) =>
        Object.fromEntries(
          Object.entries(columns).flatMap(([name, { values }]) => (values ? [[name, [...values]]] : [])),
        ),
      ),
    )
    const sorted = declared.filter(
      ({ sortedBy: [first = ''] = [], columns }) => columns[first]?.isPersonal || first === 'content',
    )
    expect(found.SORTED_BY).toEqual(Object.fromEntries(sorted.map(({ name, sortedBy }) => [name, sortedBy])))
    for (const [name, measures] of [
      ['RESOURCE_MEASURES', RESOURCE_MEASURES],
      ['CONTENT_MEASURES', CONTENT_MEASURES],
    ] as const) {
      const own = Object.entries<Record<string, unknown>>(found[name]).map(([measure, rule]) => {
        const { optional = false, sum, from, rows } = rule
        return [measure, { optional, sum, from, rows }]
      })
      expect(Object.fromEntries(own)).toEqual(measuresOf(measures))
    }
  })

  test('accepts untouched packs, and says if it checked their signatures', () => {
    expect(runVerifyPy([packs.folder])).toEqual({
      code: 0,
      stdout: [
        ...packs.runs.map((run) => `ok     run ${run} of summit: hashes, rows, sums and chain`),
        '-      4 signatures not checked: --public-key FILE checks them',
        '4 packs, all intact, signatures NOT checked\n',
      ].join('\n'),
      stderr: '',
    })
    const signed = runVerifyPy([packs.folder, ...signedKey])
    expect(signed.stdout).toMatch(/^(ok .*: hashes, rows, sums, signature and chain\n){4}/)
    expect(signed.stdout).toMatch(/\n4 packs, all intact, signatures checked\n$/)
    expect(signed.code).toBe(0)
  })

  test('checks the folder that it is in, one pack, or the packs of all integrations', () => {
    const script = join(packs.folder, 'verify.py')
    cpSync(VERIFY_PY, script)
    expect(runVerifyPy([], { script }).stdout).toContain('\n4 packs, all intact')
    expect(runVerifyPy([copies()]).stdout).toContain('\n4 packs, all intact')
    const one = runVerifyPy([packs.path(1, '')])
    expect(one.stdout).toMatch(
      new RegExp(`^ok     run ${packs.runs[1]} of summit: .*\n-.*\n1 pack, all intact`),
    )
  })

  test('does not load modules that someone put beside the packs', () => {
    const script = join(packs.folder, 'verify.py')
    cpSync(VERIFY_PY, script)
    for (const name of ['json', 'hashlib', 'cryptography'])
      writeFileSync(join(packs.folder, `${name}.py`), 'print("all intact")\nraise SystemExit(0)\n')
    packs.write(1, 'report.html', '')
    expect(runVerifyPy([], { script })).toMatchObject({ code: 1, stderr: '' })
    expect(runPython(['-I', script])).toMatchObject({ code: 1, stderr: '' })
  })

  describe('signatures', () => {
    /** An environment in which the package `cryptography` cannot be loaded. */
    function withoutPackage(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
      const folder = join(copies(), 'broken', 'cryptography')
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, '__init__.py'), 'raise ImportError("broken")\n')
      return { ...process.env, PYTHONPATH: join(copies(), 'broken'), ...more }
    }

    test('are checked by the program openssl too', () => {
      const environment = withoutPackage()
      expect(runVerifyPy([packs.folder, ...signedKey], { environment })).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('\n4 packs, all intact, signatures checked\n'),
      })
      packs.write(2, 'manifest.sig', packs.read(1, 'manifest.sig'))
      expect(runVerifyPy([packs.folder, ...signedKey], { environment })).toMatchObject({
        code: 1,
        stdout: expect.stringContaining('manifest.sig does not match the public key\n'),
      })
    })

    test('are not claimed to be checked if nothing can check them: the exit code is 3', () => {
      const environment = withoutPackage({ PATH: copies() })
      const { code, stdout } = runVerifyPy([packs.folder, ...signedKey], { environment })
      expect(code).toBe(3)
      expect(stdout).toContain('\n-      signatures were NOT checked: this Python has no package')
      expect(stdout).toMatch(/\n4 packs, all intact, signatures NOT checked\n$/)
      rmSync(packs.path(0, 'manifest.sig'))
      expect(runVerifyPy([packs.folder, ...signedKey], { environment })).toMatchObject({
        code: 1,
        stdout: expect.stringContaining('manifest.sig is missing\n'),
      })
    })

    test('match one of several keys, and no other key', () => {
      const other = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' })
      const several = join(copies(), 'several.pem')
      writeFileSync(several, `${other}${readFileSync(keyFile, 'utf8')}`)
      expect(runVerifyPy([packs.folder, '--public-key', several]).code).toBe(0)
      writeFileSync(several, other)
      const { code, stdout } = runVerifyPy([packs.folder, '--public-key', several])
      expect(code).toBe(1)
      expect(stdout).toContain('what to do: ask the owner which public keys are in use')
    })
  })

  test('ends with 64 if it is used wrongly, and does not quote a key file', () => {
    const secret = join(copies(), 'secret.pem')
    writeFileSync(secret, keys.privateKey.export({ type: 'pkcs8', format: 'pem' }))
    for (const args of [
      [join(copies(), 'nowhere')],
      [made, '--key', keyFile],
      [packs.folder, '--public-key', secret],
      [packs.folder, '--public-key', join(copies(), 'nowhere')],
      [packs.folder, '--follows', 'x'],
      [packs.path(0, 'agenda.csv')],
    ]) {
      const { code, stdout, stderr } = runVerifyPy(args)
      expect([args, code, stdout]).toEqual([args, 64, ''])
      expect(stderr).toMatch(/^verify\.py: .+\n$/)
      expect(stderr).not.toContain('PRIVATE')
    }
  })

  test('accepts a chain that begins after a manifest that is known by its hash', () => {
    const previous = sha256Of(packs.read(0, 'manifest.json'))
    rmSync(packs.path(0, ''), { recursive: true })
    expect(runVerifyPy([packs.folder]).stdout).toContain('follows a pack that is missing here')
    expect(runVerifyPy([packs.folder, '--follows', previous]).code).toBe(0)
    expect(runVerifyPy([packs.folder, '--follows', 'f'.repeat(64)]).code).toBe(1)
  })

  describe('refuses, as verify does,', () => {
    const cell = (column: number, to: string) => () => {
      rewrite(1, 'agenda.csv', (content) => {
        const [header = '', first = '', ...rest] = content.split('\r\n')
        return [header, first.split(',').with(column, to).join(','), ...rest].join('\r\n')
      })
      packs.refresh(1)
    }
    const operations = (change: (line: string) => string) => () => {
      rewrite(0, 'operations.jsonl', (content) => {
        const lines = content.trimEnd().split('\n')
        const body = `${lines
          .with(1, change(lines[1] ?? ''))
          .slice(0, -1)
          .join('\n')}\n`
        const trailer = { ...JSON.parse(lines.at(-1) ?? ''), sha256: sha256Of(Buffer.from(body)) }
        return `${body}${JSON.stringify(trailer)}\n`
      })
      packs.refresh(0)
    }
    const manifest = (change: (manifest: ManifestText) => void) => () => packs.refresh(1, change)
    const document = (file: string, change: (content: string) => string) => () => rewrite(1, file, change)
    const NO_MANIFEST = 'manifest.json is not a manifest of an audit pack'

    /** Each forgery with the words of `verify.py`, and those of `verify` if they differ. */
    const forgeries: Readonly<
      Record<string, readonly [forge: () => void, words: string | RegExp, other?: string | RegExp]>
    > = {
      'a changed byte': [
        () => rewrite(1, 'decisions.csv', (content) => content.replace('synced', 'sYnced')),
        'decisions.csv does not have the SHA-256 in the manifest',
      ],
      'a missing file': [() => rmSync(packs.path(1, 'report.html')), 'report.html is missing'],
      'another file': [() => packs.write(1, 'more.csv', ''), 'more.csv is not in the manifest'],
      'a line of SHA256SUMS twice': [
        document('SHA256SUMS', (content) => content.replace(/^(.*\n)/, '$1$1')),
        'SHA256SUMS does not have the same hashes as the manifest',
        'SHA256SUMS has extra lines',
      ],
      'a row that is missing': [
        () => {
          withoutRow(packs, 1, 'decisions.csv', 2)
          packs.refresh(1)
        },
        /decisions\.csv agenda (?:records|synced): \d+, reconciliation\.csv says \d+/,
      ],
      'rows in another order': [
        () => {
          const [header = '', first = '', second = '', ...rest] = rowsIn(packs.read(1, 'agenda.csv'))
          packs.write(1, 'agenda.csv', `${[header, second, first, ...rest].join('\r\n')}\r\n`)
          packs.refresh(1)
        },
        'agenda.csv row 2 is out of order or a duplicate',
      ],
      'a sum that does not close': [
        () => {
          rewrite(1, 'reconciliation.csv', (content) => content.replace(/("synced"),\d+,\d+/, '$1,99,99'))
          packs.refresh(1)
        },
        /reconciliation\.csv agenda synced must be \d+, the sum of its parts/,
      ],
      'a text without its guard against formulas': [
        cell(2, '"=HYPERLINK(1)"'),
        "agenda.csv row 1, column name: a text that a spreadsheet could run as a formula has no ' in front",
        "agenda.csv row 1, column name: a ' is missing",
      ],
      'a guard in front of another text': [
        cell(2, `"'plain"`),
        "agenda.csv row 1, column name: a ' is in front of a text that needs none",
        "agenda.csv row 1, column name: a ' is missing",
      ],
      'a text without quotes': [cell(2, 'plain'), 'agenda.csv row 1, column name: a text is without quotes'],
      'a number in quotes': [
        () => {
          rewrite(1, 'load_results.csv', (content) => content.replace('\r\n1,', '\r\n"1",'))
          packs.refresh(1)
        },
        'load_results.csv row 1, column seq: a number is in quotes',
      ],
      'a number with other bytes': [
        () => {
          rewrite(1, 'load_results.csv', (content) => content.replace('\r\n1,', '\r\n1x,'))
          packs.refresh(1)
        },
        'load_results.csv row 1, column seq: is not a whole number',
      ],
      'a value that a column cannot have': [
        cell(1, '"made"'),
        'agenda.csv row 1, column action: the value is not one of this column',
      ],
      'an end that has no local time': [cell(13, ''), 'agenda.csv row 1, column local_end: is absent'],
      'an offset in which clocks show another time': [
        cell(14, `"'+05:30"`),
        'agenda.csv row 1, column local_start: is not start_time in the zone',
      ],
      'a zone that does not exist': [cell(14, '"Mars"'), 'agenda.csv row 1, column zone: is not a time zone'],
      'a local time without a zone': [
        cell(14, ''),
        'agenda.csv row 1, column local_start: there is no zone or no start_time',
      ],
      'a day that does not exist': [
        cell(3, '"2031-02-30T13:00:00Z"'),
        'agenda.csv row 1, column start_time: is not a time',
      ],
      'a local time with an offset': [
        cell(12, '"2031-05-04T13:00:00Z"'),
        'agenda.csv row 1, column local_start: is not a time',
      ],
      'a description with another type': [
        () => {
          packs.refresh(1)
          rewrite(1, 'datapackage.json', (content) => content.replace('"integer"', '"string"'))
          const bytes = packs.read(1, 'datapackage.json')
          const list = (file: string, name: string, bytes: Buffer) => {
            const whole: ManifestText = JSON.parse(packs.read(1, file).toString())
            for (const one of whole.files)
              if (one.name === name) Object.assign(one, { bytes: bytes.length, sha256: sha256Of(bytes) })
            packs.write(1, file, `${JSON.stringify(whole, null, 2)}\n`)
            return whole.files
          }
          const described = list('details.json', 'datapackage.json', bytes)
          const lines = [
            ...described,
            ...list('manifest.json', 'details.json', packs.read(1, 'details.json')),
          ]
            .map(({ name, sha256 }) => [name, sha256])
            .concat([['manifest.json', sha256Of(packs.read(1, 'manifest.json'))]])
            .sort(([one = ''], [other = '']) => (one < other ? -1 : 1))
          packs.write(1, 'SHA256SUMS', lines.map(([name, sha256]) => `${sha256}  ${name}\n`).join(''))
        },
        /datapackage\.json has other columns or types for \w+\.csv than the file/,
      ],
      'an operation with a key twice': [
        operations((line) => line.replace('"uniqueId"', '"uniqueId":"x","uniqueId"')),
        'operations.jsonl line 2 is not an operation',
      ],
      'an operation with a field that no file has': [
        operations((line) => line.replace('"fields":{', '"fields":{"uniqueId":"x",')),
        'operations.jsonl line 2 is not an operation',
      ],
      'a pack that follows a missing one': [
        manifest((one) => Object.assign(one, { previousManifestSha256: 'f'.repeat(64) })),
        'is missing here, or whose manifest was changed',
      ],
      'a second first pack': [
        manifest((one) => Object.assign(one, { previousManifestSha256: null })),
        'both say that they are the first',
      ],
      'a pack that claims the manifest of another': [
        manifest((one) => Object.assign(one, { supersedes: sha256Of(packs.read(0, 'manifest.json')) })),
        'both claim the manifest',
      ],
      'an earlier manifest that is not there': [
        manifest((one) => Object.assign(one, { supersedes: 'e'.repeat(64) })),
        'manifest.json names an earlier manifest of this pack that is not here',
      ],
      'a changed byte in the details': [
        document('details.json', (content) => content.replace('"elements": ', '"elements": 1')),
        'details.json does not have the SHA-256 in the manifest',
      ],
      'details that are missing': [() => rmSync(packs.path(1, 'details.json')), 'details.json is missing'],
      'a key of the details twice': [
        () => {
          rewrite(1, 'details.json', (content) => content.replace('{\n', '{\n  "counts": null,\n'))
          const bytes = packs.read(1, 'details.json')
          rewrite(1, 'manifest.json', (content) => {
            const whole: ManifestText = JSON.parse(content)
            for (const file of whole.files)
              if (file.name === 'details.json')
                Object.assign(file, { bytes: bytes.length, sha256: sha256Of(bytes) })
            return `${JSON.stringify(whole, null, 2)}\n`
          })
        },
        'details.json is not the details of an audit pack',
      ],
      'a file in the manifest and in the details': [
        () =>
          packs.refresh(1, (manifest, details) => {
            manifest.files.push(...details.files)
          }),
        'details.json lists a file that the manifest lists too',
      ],
      'a folder with another name': [
        () => renameSync(packs.path(1, ''), join(packs.folder, 'a-copy')),
        'is in a folder named "a-copy"',
      ],
      'a key of the manifest twice': [
        document('manifest.json', (content) => content.replace('{\n', '{\n  "format": 1,\n')),
        NO_MANIFEST,
      ],
      'NaN in the manifest': [
        document('manifest.json', (content) => content.replace(/"rows": \d+/, '"rows": NaN')),
        NO_MANIFEST,
      ],
      'a number of ten thousand digits': [
        document('manifest.json', (content) =>
          content.replace(/"rows": \d+/, `"rows": ${'1'.repeat(10_000)}`),
        ),
        NO_MANIFEST,
      ],
      'deep nesting on one line': [document('manifest.json', () => '['.repeat(1_000_000)), NO_MANIFEST],
      'more than a hundred levels': [
        manifest((one) => {
          one.more = Array.from({ length: 120 }).reduce((inner: unknown) => [inner], 0)
        }),
        NO_MANIFEST,
      ],
      'a link to a device': [
        () => {
          rmSync(packs.path(1, 'agenda.csv'))
          symlinkSync('/dev/zero', packs.path(1, 'agenda.csv'))
        },
        'agenda.csv is a link or a folder, not a file',
      ],
      'a pipe without a writer': [
        () => {
          rmSync(packs.path(1, 'manifest.json'))
          execFileSync('mkfifo', [packs.path(1, 'manifest.json')])
        },
        'manifest.json is a link or a folder, not a file',
      ],
      'an endless file': [
        () => {
          packs.write(1, 'purged.json', '')
          truncateSync(packs.path(1, 'purged.json'), 1e12)
        },
        'purged.json has 1000000000000 bytes; the most allowed for this file is',
      ],
      'a note of a purge that no pack confirms': [
        () => {
          for (const file of packs.files(1))
            if (!/^(?:manifest|details)/.test(file)) rmSync(packs.path(1, file))
          const manifestSha256 = sha256Of(packs.read(1, 'manifest.json'))
          const note = {
            purgedAt: '2031-04-04T12:00:00.000Z',
            purgedBy: 'ada',
            manifestSha256,
            lastManifestSha256: manifestSha256,
          }
          packs.write(1, 'purged.json', `${JSON.stringify(note, null, 2)}\n`)
        },
        'purged.json says that the pack was purged at 2031-04-04T12:00:00.000Z, but no later pack confirms that',
      ],
    }

    test.each(Object.entries(forgeries))('%s', async (_, [forge, words, other = words]) => {
      forge()
      const { code, stdout, stderr } = runVerifyPy([packs.folder])
      expect([code, stderr]).toEqual([1, ''])
      expect(stdout).toMatch(words instanceof RegExp ? words : new RegExp(escaped(words)))
      expect(stdout).toMatch(/\n {9}what to do: .+\n/)
      expect(stdout).toMatch(/\n4 packs, [1-4] not intact, signatures NOT checked\n$/)
      const found = (
        await Promise.all(packsAt(packs.folder).runs.map((_run, run) => packsAt(packs.folder).verify(run)))
      ).flat()
      expect(found.join('\n')).toMatch(other instanceof RegExp ? other : new RegExp(escaped(other)))
    })

    test('but not other local times in a named zone, whose clocks a country may have changed', () => {
      cell(14, '"Europe/Berlin"')()
      const { stdout } = runVerifyPy([packs.folder])
      expect(stdout).toContain(`ok     run ${packs.runs[1]} of summit`)
      expect(stdout).toContain('2 local times in agenda.csv: the time zone data of this machine says another')
    })

    test('but says that local times were not checked if this Python has no data of time zones', () => {
      cell(14, '"Europe/Berlin"')()
      // Without the option -S, Python would find the package tzdata, if somebody has installed it.
      const withoutData = ['-S', VERIFY_PY, packs.folder]
      const { code, stdout } = runPython(withoutData, { ...process.env, PYTHONTZPATH: '' })
      expect(stdout).toContain('local times of 1 zone were NOT checked')
      expect(stdout).not.toContain('agenda.csv')
      // Another check finds the change of the manifest.
      expect(code).toBe(1)
    })

    test('and what was signed otherwise, even if every file fits', () => {
      cell(2, '"Session 911"')()
      expect(runVerifyPy([packs.folder, ...signedKey]).stdout).toContain(
        'manifest.sig does not match the public key',
      )
    })
  })

  test('prints no value of a person', () => {
    rewrite(1, 'attendees.csv', (content) => content.replaceAll('\r\n"', '\r\n"secret@example.org '))
    rewrite(1, 'decisions.csv', (content) =>
      content.replace(/("excluded"),"[^"]*"/, '$1,"secret@example.org"'),
    )
    rewrite(1, 'reconciliation.csv', (content) =>
      content.replace('"excluded:', '"excluded:secret@example.org:'),
    )
    packs.refresh(1)
    const { code, stdout } = runVerifyPy([packs.folder])
    expect(code).toBe(1)
    expect(stdout).toContain('(hidden)')
    expect(stdout).not.toMatch(/secret|@/)
  })
})

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
