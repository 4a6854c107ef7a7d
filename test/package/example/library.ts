import { CommandError, open } from 'event-content-sync'

const project = open({ config: './event-sync.yaml' })
try {
  const { checks } = await project.check(['spring'])
  for (const { rule, status, seen } of checks) {
    if (status === 'failed') console.log(`${rule}: ${seen}`)
  }
  const [plan] = (await project.plan(['spring'], { sample: 5 })).runs
  if (plan?.planHash != null) {
    const { exitCode, runs } = await project.apply('spring', plan.planHash, {
      signal: AbortSignal.timeout(60_000),
    })
    console.log(`ended with ${exitCode}: ${runs.map(({ status }) => status).join(', ')}`)
  }
} catch (error) {
  if (!(error instanceof CommandError)) throw error
  console.error(error.message)
  process.exitCode = error.exitCode
}
