import type { RunReport } from '../../pipeline/report.ts'
import type { Difference } from '../model/compare.ts'
import type { Run } from './model-report.ts'

/** Holds plan hashes to what they are of: equal plans on an equal base have one hash, others have others. */
export interface PlanHashes {
  /** Takes note of the id and the hash of a run, and tells where the hash is not as it should be. */
  note(run: Run, report: Pick<RunReport, 'run' | 'planHash'>): readonly Difference[]
}

export function makePlanHashes(): PlanHashes {
  const hashes = new Map<string, string>()
  const plans = new Map<string, string>()
  return {
    note(run, { run: id, planHash: hash }) {
      const plan = planOf(run)
      if (hash === null) return [{ path: 'plan hash', expected: 'one', actual: null }]
      const [known, other] = [hashes.get(plan), plans.get(hash)]
      hashes.set(plan, hash)
      plans.set(hash, plan)
      run.id = id
      run.hash = hash
      if (known !== undefined && known !== hash) return [{ path: 'plan hash', expected: known, actual: hash }]
      if (other !== undefined && other !== plan) {
        return [{ path: 'plan hash', expected: 'another than that of another plan', actual: hash }]
      }
      return []
    },
  }
}

/** Source: design 11, "Plan hash". */
function planOf({ base, planned }: Run): string {
  const changes = planned
    .filter(({ action }) => ['create', 'update', 'remove'].includes(action))
    .map(({ action, content, uniqueId, reason, after }) => {
      const fields = Object.entries(after).sort(([one], [other]) => (one < other ? -1 : 1))
      return JSON.stringify([content, uniqueId, action, reason, action === 'remove' ? null : fields])
    })
  return JSON.stringify([base, changes.sort()])
}
