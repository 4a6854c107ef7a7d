import { CommandError, open } from 'event-content-sync'

const project = open({
  config: './event-sync.yaml',
  onText: (text) => process.stderr.write(text),
})
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
  const again = await project.run(['spring'])
  const { runs } = await project.runs('spring', { limit: 2 })
  const { packs } = await project.verify('out/spring')
  const faults = packs.flatMap(({ findings }) => findings)
  console.log(`run again: ${again.exitCode}, last runs: ${runs.length}, faults of packs: ${faults.length}`)
} catch (error) {
  if (!(error instanceof CommandError)) throw error
  console.error(error.message)
  process.exitCode = error.exitCode
}
