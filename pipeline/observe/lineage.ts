import { appendFile } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import type { LineageConfig } from '../config/config.ts'
import { type Context, timestamp } from '../context/run-context.ts'
import { platformOf } from '../platform/connect.ts'
import type { EndedRun, Listener } from '../runtime/events.ts'
import { messageOf } from '../text/message-of.ts'
import { lineageAddress } from './address.ts'
import { deliver } from './deliver.ts'
import { type EventType, type LineageOfRun, runEvent } from './open-lineage.ts'

/** Writes an OpenLineage event when a run begins and when it ends; one that cannot be written is given up. */
export function lineageListener(context: Context, lineage: LineageConfig): Listener {
  const { config, environment, events, secrets } = context
  const known = new Map<string, LineageOfRun>()
  const writing = new Map<string, Promise<void>>()

  async function write(line: string): Promise<void> {
    const { to } = lineage
    const address = lineageAddress(lineage, secrets)
    if (address === null) {
      return appendFile(isAbsolute(to) ? to : resolve(secrets.configFolder, to), `${line}\n`)
    }
    const { url, token } = address
    const authorization = token === null ? {} : { Authorization: `Bearer ${token}` }
    const headers = { 'Content-Type': 'application/json', ...authorization }
    const request = { url, addressKey: 'lineage.to', headers, body: line }
    await deliver(context, request, lineage.timeoutSeconds * 1000)
  }

  function send(type: EventType, of: LineageOfRun, ended: EndedRun | null): void {
    const { id } = of.integration
    const event = runEvent(type, timestamp(environment), of, ended)
    // One after the other, so that a run does not end before it began.
    const before = writing.get(id) ?? Promise.resolve()
    const written = before
      .then(() => write(JSON.stringify(event)))
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
          // Operations of a target that writes to the pack stay in the integration's folder of packs.
          platform: url === '' ? { url: namespace, eventId: integrationId } : { url, eventId },
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
      // A run that a guard held did not do what it is for, and did not fail either.
      const { status } = event.report
      send(status === 'failed' ? 'FAIL' : status === 'held' ? 'ABORT' : 'COMPLETE', of, event)
    },
    async settled(integration) {
      await writing.get(integration)
      writing.delete(integration)
    },
  }
}
