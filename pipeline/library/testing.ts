/** Entry `event-content-sync/testing` of the package: the tests that every source must pass. */
import './require-node.ts'

export {
  type ContractSubject,
  type ContractTest,
  contractTests,
  type Records,
  type Served,
} from './contract.ts'
