/**
 * The model test: makes whole runs with random records of a source. Each run is compared with a model of the
 * rules, which shares no code with the product.
 *
 * `node test/proofs/model/run.ts --seeds 300 --engine pglite`; `--from N` starts with another seed, `--source
 * a` tests one source, `--seed N` replays one seed and shows each difference. The exit code is 1 if the
 * product and the model differ, or if a required case occurred fewer than `--least` times. The default of
 * `--least` is 20, which needs about 120 seeds of both sources.
 */
import { tryOutSeeds } from '../../harness/seeds.ts'
import { openTrials } from './trial.ts'

await tryOutSeeds({ seeds: '300', least: '20' }, openTrials)
