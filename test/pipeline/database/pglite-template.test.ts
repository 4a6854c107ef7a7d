import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { beforeEach, expect, test } from 'vitest'
import { copyTemplate, templateArchive, writeTemplate } from '../../../pipeline/database/pglite-template.ts'
import { useFolder } from '../../support/folder.ts'

const newFolder = useFolder()
let folder: string
let template: string
let directory: string

const made = {
  PG_VERSION: '18',
  'base/5/1255': 'rows\n and \0 bytes',
  'global/pg_control': '',
}

function contentsOf(of: string): Readonly<Record<string, string>> {
  const entries = readdirSync(of, { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [path.slice(of.length + 1), entry.isFile() ? readFileSync(path, 'utf8') : 'a folder']
    }),
  )
}

/** Makes a directory with files like those of an engine, and a template from this directory. */
beforeEach(() => {
  folder = newFolder()
  template = join(folder, 'dist', 'template.zst')
  directory = join(folder, 'db')
  const original = join(folder, 'original')
  for (const part of ['base/5', 'global', 'pg_twophase']) mkdirSync(join(original, part), { recursive: true })
  for (const [path, text] of Object.entries(made)) writeFileSync(join(original, path), text)
  writeTemplate(original, template)
  mkdirSync(directory)
})

test('a new directory becomes a copy of the directory from which the template was made, including empty folders', () => {
  expect(copyTemplate(directory, template)).toBe(true)
  expect(contentsOf(directory)).toEqual(contentsOf(join(folder, 'original')))
})

test('the archive for a database in memory has the same files and folders', async () => {
  const archive = (await templateArchive(template)?.arrayBuffer()) ?? new ArrayBuffer(0)
  execFileSync('tar', ['-x', '-f', '-', '-C', directory], { input: Buffer.from(archive) })
  expect(contentsOf(directory)).toEqual(contentsOf(join(folder, 'original')))
})

test('only the owner of the database can read the files that were copied from the template', () => {
  copyTemplate(directory, template)
  const modes = readdirSync(directory, { recursive: true, encoding: 'utf8' }).map(
    (path) => statSync(join(directory, path)).mode & 0o077,
  )
  expect(new Set(modes)).toEqual(new Set([0]))
})

test('if a process dies while it copies the template, the copy is made again, no matter at which file it stopped', () => {
  copyTemplate(directory, template)
  const whole = contentsOf(directory)
  for (const last of ['base/5/1255', 'global', 'pg_twophase']) {
    renameSync(join(directory, 'PG_VERSION'), join(directory, 'PG_VERSION.partial'))
    rmSync(join(directory, last), { recursive: true })
    writeFileSync(join(directory, 'base', 'half'), 'hal')
    expect(copyTemplate(directory, template)).toBe(true)
    expect(contentsOf(directory)).toEqual(whole)
  }
})

test('PGlite does not recognise an unfinished copy of the template as a database', () => {
  // The folder of the second file does not exist, so copying stops at this file.
  const entries = [
    ['PG_VERSION.partial', 2],
    ['base/1', 1],
  ]
  writeFileSync(template, zstdCompressSync(`${JSON.stringify(entries)}\n18x`))
  expect(() => copyTemplate(directory, template)).toThrow()
  expect(contentsOf(directory)).toEqual({ 'PG_VERSION.partial': '18' })
})

test('a directory that already contains files is not changed by the template', () => {
  writeFileSync(join(directory, 'PG_VERSION'), '18')
  writeFileSync(join(directory, 'mine'), 'all my rows')
  const before = contentsOf(directory)
  expect(copyTemplate(directory, template)).toBe(false)
  expect(contentsOf(directory)).toEqual(before)
})

test('if this version of the product has no template, a new directory stays empty, even after an unfinished copy', () => {
  writeFileSync(join(directory, 'PG_VERSION.partial'), '18')
  mkdirSync(join(directory, 'base'))
  expect(copyTemplate(directory, join(folder, 'other.zst'))).toBe(false)
  expect(readdirSync(directory)).toEqual([])
})
