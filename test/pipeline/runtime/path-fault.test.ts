import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { messageOf } from '../../../pipeline/runtime/message-of.ts'
import { adviceOn, describeCode } from '../../../pipeline/runtime/not-writable.ts'
import { pathFaultOf } from '../../../pipeline/runtime/path-fault.ts'
import { makeFolder } from '../../support/folder.ts'

afterEach(() => vi.restoreAllMocks())

const OTHER = 47_110
const refused = (code: string, path: string) =>
  Object.assign(new Error(`${code}: refused, scandir '${path}'`), { code, path })

/** Makes a folder `out` with a file, as the user of this process. */
function place() {
  const folder = makeFolder(onTestFinished)
  const out = join(folder, 'out')
  mkdirSync(out)
  writeFileSync(join(out, 'file'), '')
  return { folder, out, owner: userInfo().username }
}

test.each(['EACCES', 'EPERM'])('%s at a path of another user names both users and the command', (code) => {
  const { out, owner } = place()
  vi.spyOn(process, 'getuid').mockReturnValue(OTHER)
  const what = `${out} belongs to ${owner}, and this process runs as user ${OTHER}`
  const todo = `if only event-sync uses it, \`chown -R ${OTHER} ${out}\` as root corrects this; otherwise let user ${OTHER} have access`
  expect(pathFaultOf(refused(code, out))).toEqual({ what, todo })
  expect(messageOf(refused(code, out))).toBe(`${code}: refused, scandir '${out}'; ${what}; ${todo}`)
})

test('no command gives away a folder above the path that was refused', () => {
  const { out } = place()
  vi.spyOn(process, 'getuid').mockReturnValue(OTHER)
  expect(pathFaultOf(refused('EACCES', join(out, 'missing')))?.todo).toBe(`let user ${OTHER} have access`)
})

test('EACCES at a path of the same user says which permissions the path has', () => {
  const { out, owner } = place()
  chmodSync(out, 0o500)
  expect(pathFaultOf(refused('EACCES', out))).toEqual({
    what: `${out} belongs to ${owner}, who runs this process, but has the mode 0500`,
    todo: `\`chmod u+rwX ${out}\` gives this user access, unless its disk forbids it`,
  })
  expect(statSync(out).mode & 0o777).toBe(0o500)
})

test.each([
  ['EROFS', 'out', /out is on a read-only file system$/, 'mount it writable, or name another path'],
  ['ENOTDIR', 'out/file/db', /out\/file is not a folder$/, 'move it away, or name another path'],
  ['EISDIR', 'out', /out is a folder, not a file$/, 'name a file'],
  ['ELOOP', 'out', /the symbolic links of .*out lead in a circle$/, 'correct the links'],
  ['ENAMETOOLONG', 'out', /^the system allows no name as long as this$/, 'choose a shorter one'],
])('%s says what is wrong with the path and what to do', (code, path, what, todo) => {
  const error = refused(code, join(place().folder, path))
  expect(pathFaultOf(error)).toEqual({ what: expect.stringMatching(what), todo })
  expect([describeCode(error), messageOf(error)]).toEqual([
    expect.stringContaining(`; ${todo})`),
    expect.stringContaining(`; ${todo}`),
  ])
})

test('errors that do not concern a path stay unchanged', () => {
  const full = refused('ENOSPC', '/srv')
  expect([pathFaultOf(full), messageOf(full)]).toEqual([null, full.message])
  expect([adviceOn(full), adviceOn('EROFS')]).toEqual(['free some space on its disk', 'correct this'])
  expect(pathFaultOf(Object.assign(new Error('no'), { code: 'EACCES' }))).toBeNull()
})
