import { setFlagsFromString } from 'node:v8'

/**
 * Makes V8 optimize only code that runs very often. The module compiling.ts must be imported after heap.ts.
 *
 * V8 compiles a function again when it has run 400 times, and once more when it has run 3,000 times. In a run of
 * a small event, most functions end before they have saved the time that it takes to optimize them.
 *
 * V8 would also compile the code of the embedded database a second time, to optimize it. While the database is
 * small, optimizing its code takes longer than it saves. `openPGlite` lets V8 optimize the code for a large
 * database.
 */
setFlagsFromString('--invocation-count-for-maglev=4000')
setFlagsFromString('--invocation-count-for-turbofan=30000')
setFlagsFromString('--wasm-tier-up-filter=2147483647')
