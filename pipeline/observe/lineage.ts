import { isAbsolute, resolve } from 'node:path'
import { appendText } from '../../loaders/files/file-writer.ts'
import { toJsonLine } from '../../loaders/files/json-line.ts'
import { type Dictionary, readDictionary } from '../../sql/dictionary.ts'
import type { LineageConfig } from '../config/config.ts'
import { platformOf } from '../context/connect.ts'
import { type Context, timestamp } from '../context/run-context.ts'
import type { EndedRun, Listener } from '../runtime/events.ts'
import { messageOf } from '../runtime/message-of.ts'
import { isPinnedRun } from '../runtime/report.ts'
import { deliver, lineageAddress } from './deliver.ts'
import { type EventType, type LineageOfRun, runEvent } from './lineage-event.ts'
import { parentRunOf } from './lineage-parent.ts'

/**
 * Returns a listener that writes an OpenLineage event at the start and the end of each run. If an event
 * cannot be written, it is dropped.
 */
export function lineageListener(context: Context, lineage: LineageConfig): Listener {
  const { config, database, environment, events, secrets } = context
  let dictionary: Dictionary | null = null
  const known = new Map<string, LineageOfRun>()
  const writing = new Map<string, Promise<void>>()

  async function write(line: string): Promise<void> {
    const { to } = lineage
    const address = lineageAddress(lineage, secrets)
    if (address === null) {
      const path = isAbsolute(to) ? to : resolve(secrets.configFolder, to)
      return appendText(path, `${line}\n`, config.output.mode)
    }
    const { url, token } = address
    const authorization = token === null ? {} : { Authorization: `Bearer ${token}` }
    const headers = { 'Content-Type': 'application/json', ...authorization }
    const request = { url, addressKey: 'lineage.to', headers, body: line }
    await deliver(context, request, lineage.timeoutSeconds * 1000)
  }

  async function describe(): Promise<Dictionary> {
    dictionary ??= await readDictionary(database.kysely)
    return dictionary
  }

  function send(type: EventType, of: LineageOfRun, ended: EndedRun | null): void {
    const { id } = of.integration
    const at = timestamp(environment)
    const now = { ...of, readings: new Map(of.readings), bytes: new Map(of.bytes) }
    // Events are written one after the other, so that the end of a run never arrives before its start.
    const before = writing.get(id) ?? Promise.resolve()
    const written = before
      .then(async () => write(toJsonLine(runEvent(type, at, now, await describe(), ended))))
      .catch((error: unknown) => {
        events.emit(id, { type: 'delivery failed', to: 'the lineage', cause: messageOf(error) })
      })
    writing.set(id, written)
  }

  return {
    emit(integrationId, event) {
      if (event.type === 'run opened') {
        const integration = config.integrations.find(({ id }) => id === integrationId)
        if (integration === undefined) return
        const { namespace } = lineage
        const { url, eventId } = platformOf(integration)
        const of: LineageOfRun = {
          namespace,
          integration,
          // A platform of type jsonl, which writes operations to the pack, has no address. The operations for
          // such a platform are in the folder with the packs of the integration.
          platform: url === '' ? { url: namespace, eventId: integrationId } : { url, eventId },
          database,
          parent: parentRunOf(secrets.env),
          run: event,
          readings: new Map(),
          bytes: new Map(),
        }
        known.set(integrationId, of)
        return send(event.isContinued ? 'RUNNING' : 'START', of, null)
      }
      const of = known.get(integrationId)
      if (of === undefined) return
      if (event.type === 'read')
        of.bytes.set(event.resource, (of.bytes.get(event.resource) ?? 0) + event.bytes)
      if (event.type === 'reading ended') of.readings.set(event.resource, event)
      if (event.type !== 'run ended' || event.report.run !== of.run.run) return
      known.delete(integrationId)
      // OpenLineage calls a held or pinned run aborted. The run sent nothing, but it did not fail.
      const { status } = event.report
      const isAborted = status === 'held' || isPinnedRun(event.report)
      send(status === 'failed' ? 'FAIL' : isAborted ? 'ABORT' : 'COMPLETE', of, event)
    },
    async settled(integration) {
      await writing.get(integration)
      writing.delete(integration)
    },
  }
}
