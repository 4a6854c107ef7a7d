/**
 * The histories: sequences of commands of one integration over a source and a platform that change and misbehave, each
 * compared with a model of both.
 *
 * `node test/proofs/histories/run.ts --seeds 100 --engine pglite`; `--from N` begins elsewhere, `--source a` takes one source,
 * `--seed N` replays one and tells each command. Ends with exit code 1 where the product and the model differ, or where
 * a case of the closed list occurred fewer than `--least` times, 5 by default, which takes about 100 seeds of both
 * sources.
 */
import { tryOutSeeds } from '../../harness/seeds.ts'
import { openHistories } from './history.ts'

await tryOutSeeds({ seeds: '100', least: '5' }, openHistories)
