import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/**
 * Sets V8 up for runs that read much data in little memory, and for the short runs of small events. The module
 * v8.ts must be imported before all others. The command `npm run memory` measures the effect on memory.
 */
const enlargedBytes = 16 * youngBytes()
loadModulesOfNode()
limitHeap()
optimizeLate()

/**
 * Keeps the heap close to the memory that is really used.
 *
 * Reading a source creates many short-lived objects and keeps few of them. On a machine with much memory, V8
 * would let the heap grow to several times the memory that is used. With these settings, V8 collects the old
 * generation of objects when it has grown by half.
 *
 * The young generation of objects is enlarged to 16 MB, sixteen times its initial size. At its initial size,
 * collecting the young generation takes a quarter of the time of a run. At 4 MB, collecting the young
 * generation takes a fifth. V8 shrinks the young generation again when few objects are created, for example
 * while a run waits for its database. A timer therefore enlarges the young generation again.
 *
 * V8 would also create objects directly in the old generation if earlier objects of the same code lived long.
 * V8 treats the tokens of a page in this way. Creating objects in the old generation would cost a third of
 * the time of reading. Almost half of all dead objects would then wait for a collection of the old
 * generation.
 */
function limitHeap(): void {
  setFlagsFromString('--heap-growing-percent=50')
  setFlagsFromString('--no-allocation-site-pretenuring')
  enlargeYoungGeneration(enlargedBytes)
  setInterval(() => enlargeYoungGeneration(enlargedBytes), 500).unref()
}

/**
 * Makes V8 optimize only code that runs very often.
 *
 * V8 compiles a function again when it has run 400 times, and once more when it has run 3,000 times. In a run of
 * a small event, most functions end before they have saved the time that it takes to optimize them.
 *
 * V8 would also compile the code of the embedded database a second time, to optimize it. While the database is
 * small, optimizing its code takes longer than it saves. `openPGlite` lets V8 optimize the code for a large
 * database.
 */
function optimizeLate(): void {
  setFlagsFromString('--invocation-count-for-maglev=4000')
  setFlagsFromString('--invocation-count-for-turbofan=30000')
  setFlagsFromString('--wasm-tier-up-filter=2147483647')
}

/**
 * Makes V8 enlarge the young generation. V8 enlarges the young generation when more objects have survived
 * collections than the young generation has space for.
 */
function enlargeYoungGeneration(bytes: number): void {
  const before = youngBytes()
  if (before >= bytes) return
  setFlagsFromString(`--semi-space-growth-factor=${Math.ceil(bytes / before)}`)
  const alive: unknown[] = []
  // The loop that enlarges the young generation takes a few milliseconds. The limit ends the loop if another
  // version of V8 works differently.
  while (youngBytes() < bytes && alive.length < 100_000) {
    for (let made = 0; made < 2000; made += 1) alive.push([made])
  }
  setFlagsFromString('--semi-space-growth-factor=1')
}

/** Returns the size of the young generation in bytes, both used and free. */
function youngBytes(): number {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
  return young === undefined ? 0 : young.space_used_size + young.space_available_size
}

/**
 * Loads the modules of Node that a run uses. Node's program file contains their compiled code, but V8 refuses
 * this code as soon as a flag differs from its default. The modules would then take twice the time to load.
 */
function loadModulesOfNode(): void {
  const names = [
    'assert/strict',
    'buffer',
    'crypto',
    'dns',
    'fs/promises',
    'https',
    'net',
    'perf_hooks',
    'readline/promises',
    'timers/promises',
    'util',
    'zlib',
  ]
  // Some modules load others when their properties are read, as an import does.
  for (const name of names) Object.values(Object(process.getBuiltinModule(name)))
}
