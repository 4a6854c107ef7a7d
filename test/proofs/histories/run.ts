/**
 * The histories: sequences of commands of one integration over a source and a platform that change and
 * misbehave, each compared with a model of both.
 *
 * `node test/proofs/histories/run.ts --seeds 100 --engine pglite`; `--from N` starts with another seed,
 * `--source a` tests one source, `--seed N` replays one seed and prints each command. Exits with code 1 if
 * the product and the model differ, or if a case of the closed list occurred fewer than `--least` times. The
 * default of 5 takes about 100 seeds of both sources.
 */
import { tryOutSeeds } from '../../harness/seeds.ts'
import { openHistories } from './history.ts'

await tryOutSeeds({ seeds: '100', least: '5' }, openHistories)
