import { metrics, trace } from '@opentelemetry/api'
import { productVersion } from '../package-root.ts'
import type { Context } from '../run-context.ts'
import { tellLineage } from './lineage.ts'
import { measureRuns } from './metrics.ts'
import { traceRuns } from './spans.ts'
import { type Listener, tellAll } from './tell-all.ts'
import { tellWebhook } from './webhook.ts'

const NAME = 'event-content-sync'

/**
 * Lets all who watch listen to what happens in a context: whatever OpenTelemetry SDK this process was started with (without
 * one, that does nothing), and the webhook and the lineage of the configuration.
 */
export function observed(context: Context): Context {
  const { config, environment, progress } = context
  const listeners: Listener[] = [
    traceRuns(trace.getTracer(NAME, productVersion), environment.now),
    measureRuns(metrics.getMeter(NAME, productVersion), environment.now),
  ]
  const { lineage, webhook } = config
  if (webhook !== undefined) listeners.push(tellWebhook(context, webhook))
  if (lineage !== undefined) listeners.push(tellLineage(context, lineage))
  return { ...context, progress: tellAll(progress, listeners) }
}
