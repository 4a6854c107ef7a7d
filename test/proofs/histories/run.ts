/**
 * Runs histories: sequences of commands for one integration. The source and the platform change at random and
 * have faults. After each command, the product's state is compared with a model.
 *
 * `node test/proofs/histories/run.ts --seeds 100 --engine pglite`; `--from N` starts with another seed,
 * `--source a` tests one source, `--seed N` replays one seed and prints each command. The exit code is 1 if
 * the product and the model differ, or if a required case occurred fewer than `--least` times. The default of
 * `--least` is 5, which needs about 100 seeds of both sources.
 */
import { tryOutSeeds } from '../../harness/seeds.ts'
import { openHistories } from './history.ts'

await tryOutSeeds({ seeds: '100', least: '5' }, openHistories)
