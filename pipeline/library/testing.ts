/** `event-content-sync/testing`: what users rely on whatever the source, as tests that a source runs on itself. */
import './require-node.ts'
import type * as contract from './contract.ts'

// Later than the line above: an older Node cannot even load it.
const loaded: typeof contract = await import('./contract.ts')

export type { ContractSubject, ContractTest, Records, Served } from './contract.ts'
export const { contractTests } = loaded
