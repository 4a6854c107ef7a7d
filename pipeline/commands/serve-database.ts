import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import { Option } from 'commander'
import { resolveSecret } from '../config/config.ts'
import type { Context } from '../context/run-context.ts'
import { embeddedFolder } from '../database/private-folder.ts'
import type { ServedDatabase } from '../schemas/setup.ts'
import { passwordInFile } from '../serve/password-file.ts'
import { makeVerifier } from '../serve/scram.ts'
import { HOST, listenForClients } from '../serve/server.ts'
import { Turns } from '../serve/turns.ts'
import { UserError } from '../settings/errors.ts'
import { isReference } from '../settings/values.ts'
import { wholeNumber } from './arguments.ts'
import { type Call, defineCommand } from './define-command.ts'

interface Options {
  readonly port: number
  readonly password?: string
}

const HELP = `
Clients log in as the role event_sync_reader, which reads the views of published without the columns that may contain
values of people; with --show-personal as event_sync_reader_personal, which reads all of published and staging. No client
can change data. Only this machine can connect. While the database is served, runs and other commands end with exit code 5.

Examples:
  event-sync serve-database                        the password is in .event-sync/reader-password, in the form of PGPASSFILE
  PGPASSFILE=.event-sync/reader-password psql -h 127.0.0.1 -p 5433 -U event_sync_reader postgres
  event-sync serve-database --password env:READER_PASSWORD --show-personal`

/** How long a transaction without a statement may keep other clients waiting. */
const IDLE_MS = 10_000

export const addServeDatabaseCommand = defineCommand({
  name: 'serve-database',
  summary: 'lets psql, dbt, Grafana and others query the embedded database, until it is stopped',
  help: HELP,
  options: [
    new Option('--port <n>', 'port on this machine; 0: a free one')
      .argParser(wholeNumber(0, 65_535))
      .default(5433),
    new Option(
      '--password <reference>',
      'where the password is kept: env:NAME or file:PATH; left out: in a file that this command makes',
    ),
  ],
  onMoved: 'noted',
  run: ({ options, global, io, open }: Call<Options>) =>
    open(async (context) => {
      const { database } = context
      if (database.serveAs === null)
        throw new UserError(
          'usage',
          'the configuration names a PostgreSQL, not the embedded database',
          'let clients connect to it, with the roles of sql/roles',
        )
      const { password, where } = passwordOf(context, options.password)
      const role = global.showPersonal ? 'event_sync_reader_personal' : 'event_sync_reader'
      const session = await database.serveAs(role)
      const stopped = Promise.withResolvers<number>()
      io.signals.onFirst(stopped.resolve)
      const server = await listenForClients(options.port, {
        session,
        turns: new Turns(session, IDLE_MS),
        verifier: makeVerifier(password, randomBytes(16)),
        role,
        database: database.name,
        makeNonce: () => randomBytes(18).toString('base64'),
        onFault: stopped.reject,
      })
      const { port } = server
      const address: ServedDatabase = {
        host: HOST,
        port,
        database: database.name,
        user: role,
        password: where,
      }
      const folder = database.directory ?? ''
      io.stdout.write(global.json ? `${JSON.stringify(address)}\n` : describe(folder, address))
      return stopped.promise.finally(() => server.close())
    }),
})

/** @returns `where` says where the password is kept, and does not contain the password */
function passwordOf({ secrets, environment }: Context, reference: string | undefined) {
  if (reference === undefined) {
    const where = join(dirname(embeddedFolder(secrets)), 'reader-password')
    return { password: passwordInFile(where, HOST, environment.randomBytes(24)), where }
  }
  // The message does not show the value, because it can be the password.
  if (!isReference(reference))
    throw new UserError(
      'usage',
      '--password: must be env:NAME or file:PATH, not the password itself (not shown)',
    )
  return { password: resolveSecret(reference, secrets, '--password').reveal(), where: reference }
}

function describe(folder: string, { host, port, database, user, password }: ServedDatabase): string {
  return `serving the embedded database in ${folder}, read-only, until it is stopped (Ctrl-C)
  address   ${host}:${port}, no TLS
  database  ${database}
  user      ${user}
  password  in ${password}
runs and other commands cannot use the database meanwhile: they end with exit code 5, and \`event-sync sql --wait\` waits
`
}
