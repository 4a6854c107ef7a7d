import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../runtime/package-root.ts'
import { SCHEMAS, schemaText } from './schema.ts'

// The build calls this file. It writes the JSON Schemas that the package has as files.
const folder = join(packageRoot, 'dist', 'schemas')
mkdirSync(folder, { recursive: true })
for (const name of Object.keys(SCHEMAS)) writeFileSync(join(folder, `${name}.json`), schemaText(name))
