/** `event-content-sync/testing`: promises that hold for every source, as tests that a source runs on itself. */
import './require-node.ts'

export {
  type ContractSubject,
  type ContractTest,
  contractTests,
  type Records,
  type Served,
} from './contract.ts'
