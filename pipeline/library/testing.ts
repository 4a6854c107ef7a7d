/** Entry `event-content-sync/testing` of the package: the tests that every source and target must pass. */
import './require-node.ts'

export {
  type ContractSubject,
  type ContractTest,
  contractTests,
  type Records,
  type Served,
} from './contract.ts'
export { type TargetSubject, targetContractTests } from './target-contract.ts'
