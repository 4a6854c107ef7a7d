import { Argument } from 'commander'
import { counted } from '../../transforms/texts/counted.ts'
import { type ConfigPlace, pathsNaming, readConfig } from '../config/config.ts'
import type { Context } from '../context/run-context.ts'
import { withoutSending } from '../observe/emit.ts'
import { rename } from '../rename/rename.ts'
import type { Renamed } from '../schemas/setup.ts'
import { GIVEN_CONFIG, UserError } from '../settings/errors.ts'
import { integrationId } from '../settings/values.ts'
import { type Call, defineCommand } from './define-command.ts'

const HELP = `
History, suppressions and schedule go on under the new id, and the folder of the packs gets it as its name. Packs stay as they are: they go
on naming the former id, and the next pack says that the integration was renamed. Change the id in the configuration before or after;
the output says where. A plan that waits can no longer be applied. It can be interrupted at any moment, and run again.

Examples:
  event-sync rename summit summit-2031
  event-sync rename summit-2031 summit        undo it`

export const addRenameCommand = defineCommand({
  name: 'rename',
  summary: 'give an integration another id, with its history, packs, suppressions and schedule',
  help: HELP,
  args: [new Argument('<old>', 'its id until now'), new Argument('<new>', 'its new id')],
  run({ global, io, open }: Call<Record<string, never>>, from: string, to: string) {
    requireId(from, to)
    return open(async (context) => {
      const renamed = await withoutSending(rename(context, from, to))
      const path = io.configText === undefined ? global.config : GIVEN_CONFIG
      const todo = placesNaming(context, path, from)
      return { text: describe(renamed, todo), json: { ...renamed, todo }, alsoText: true }
    })
  },
})

const NOTHING = 'nothing was renamed'

/** @throws UserError if the new id is not a valid id, or is the same as the former id */
function requireId(from: string, to: string): void {
  const { error } = integrationId().safeParse(to)
  if (error !== undefined) throw new UserError('usage', `the new id ${error.issues[0]?.message}`, NOTHING)
  if (from === to) throw new UserError('usage', `${from} and ${to} are the same id`, NOTHING)
}

/** Finds the places where the configuration still contains the former id. */
function placesNaming({ secrets }: Context, path: string, from: string): readonly ConfigPlace[] {
  const file = readConfig(path, secrets)
  return pathsNaming(file.value, from).map(file.placeOf)
}

function describe(renamed: Renamed, todo: readonly ConfigPlace[]): string {
  const { integration, formerId, renamedAt, isNew, rows, stalePlan, folder } = renamed
  const count = Object.values(rows).reduce((sum, one) => sum + one, 0)
  return [
    isNew
      ? `${integration}: renamed from ${formerId}`
      : `${integration}: already renamed from ${formerId} at ${renamedAt}`,
    ...(isNew ? [`  database  ${counted(count, 'row')}`] : []),
    `  packs     ${folder}; those of earlier runs go on naming ${formerId}`,
    ...(stalePlan === null
      ? []
      : [
          `  plan      that of run ${stalePlan} waited, and can no longer be applied; make a new one with \`event-sync plan ${integration}\``,
        ]),
    ...todo.map((place) => `  to do     ${describePlace(place)}: change ${formerId} to ${integration}`),
    ...(todo.length === 0 ? [] : [`            until then, ${integration} does not run`]),
    '',
  ].join('\n')
}

function describePlace({ file, line, column, path }: ConfigPlace): string {
  return file === GIVEN_CONFIG ? path : `${file}:${line}:${column}: ${path}`
}
