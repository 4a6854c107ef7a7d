/** `event-content-sync/testing`: what users rely on whatever the source, as tests that a source runs on itself. */
import './require-node.ts'

export {
  type ContractSubject,
  type ContractTest,
  contractTests,
  type Records,
  type Served,
} from './contract.ts'
