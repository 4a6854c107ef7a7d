/**
 * The model test: whole runs over random sources, each compared with a model of the rules that shares no code with
 * the product.
 *
 * `node test/proofs/model/run.ts --seeds 300 --engine pglite`; `--from N` begins elsewhere, `--source a` takes one source,
 * `--seed N` replays one and shows each difference. Ends with exit code 1 where the product and the model differ, or where
 * a case of the closed list occurred fewer than `--least` times, 20 by default, which takes about 120 seeds of both sources.
 */
import { tryOutSeeds } from '../../harness/seeds.ts'
import { openTrials } from './trial.ts'

await tryOutSeeds({ seeds: '300', least: '20' }, openTrials)
