/**
 * The model test: whole runs over random sources, each compared with a model of the rules that shares no code
 * with the product.
 *
 * `node test/proofs/model/run.ts --seeds 300 --engine pglite`; `--from N` starts with another seed, `--source
 * a` tests one source, `--seed N` replays one seed and shows each difference. Exits with code 1 if the
 * product and the model differ, or if a case of the closed list occurred fewer than `--least` times. The
 * default of 20 takes about 120 seeds of both sources.
 */
import { tryOutSeeds } from '../../harness/seeds.ts'
import { openTrials } from './trial.ts'

await tryOutSeeds({ seeds: '300', least: '20' }, openTrials)
