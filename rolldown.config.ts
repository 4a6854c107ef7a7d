import { globSync, readFileSync } from 'node:fs'
import { defineConfig, type Plugin } from 'rolldown'

/**
 * The command and the entries of the library, each in few files with what it needs: to load some 800 modules one by one
 * would be most of what a command takes. They share chunks, so that a source from outside is declared with what the command
 * that runs it knows.
 */
export default defineConfig({
  input: {
    'pipeline/cli': 'pipeline/cli.ts',
    'pipeline/library/index': 'pipeline/library/index.ts',
    'pipeline/library/source': 'pipeline/library/source.ts',
    'pipeline/library/testing': 'pipeline/library/testing.ts',
  },
  platform: 'node',
  // With files, threads or native parts of their own, or optional; the others are only code.
  external: [
    /^@electric-sql\//,
    /^@modelcontextprotocol\//,
    'pg',
    'pg-boss',
    'pino',
    'htmlparser2',
    'hyparquet-writer',
    'ical.js',
    'yazl',
  ],
  output: { dir: 'dist', format: 'esm', chunkFileNames: 'chunks/[name]-[hash].js' },
  plugins: [httpWithoutFetch(), licences()],
})

/** `import 'node:http'` reads all that it exports, and one of these makes Node load its `fetch`: 40 ms that no command needs. */
function httpWithoutFetch(): Plugin {
  const id = '\0http.cjs'
  return {
    name: 'http-without-fetch',
    resolveId: { order: 'pre', handler: (name) => (/^(?:node:)?http$/.test(name) ? id : null) },
    load: (name) => (name === id ? "module.exports = process.getBuiltinModule('node:http')" : null),
  }
}

/** Writes the licences of the packages that are part of the chunks. */
function licences(): Plugin {
  return {
    name: 'licences',
    generateBundle(_, bundle) {
      const modules = Object.values(bundle).flatMap((output) =>
        output.type === 'chunk' ? output.moduleIds : [],
      )
      const folders = modules.flatMap((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? [])
      const source = [...new Set(folders)].sort().map(licenceOf).join('\n\n')
      this.emitFile({ type: 'asset', fileName: 'LICENCES.txt', source: `${source}\n` })
    },
  }
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  const files = globSync(['LICEN[CS]E*', 'licen[cs]e*'], { cwd: folder }).sort()
  const texts = files.map((file) => readFileSync(`${folder}/${file}`, 'utf8').trim())
  return [`# ${name} ${version} (${license})`, ...new Set(texts)].join('\n\n')
}
