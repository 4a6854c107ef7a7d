import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/**
 * Keeps the heap close to the memory in use. This module must be imported first.
 *
 * Reading makes much garbage and keeps little. On a machine with much memory V8 would let the heap grow to
 * several times the memory in use. With these settings V8 collects the old generation when it has grown by
 * half.
 *
 * The young generation is enlarged to sixteen times its initial size (16 MB). At its initial size a quarter
 * of the time of a run goes into collecting it, at a quarter of 16 MB a fifth. V8 shrinks it again while
 * little is allocated, for example when a run waits for its database. Then it is enlarged again.
 *
 * V8 would also allocate objects directly in the old generation if earlier objects of the same code lived
 * long, and it does so with the tokens of a page. This costs a third of the time of reading, because almost
 * half of all garbage then waits for a collection of the old generation.
 *
 * `npm run memory` measures the effect.
 */
setFlagsFromString('--heap-growing-percent=50')
setFlagsFromString('--no-allocation-site-pretenuring')
enlargeYoungGeneration(16 * youngBytes())
const enlargedBytes = youngBytes()
setInterval(() => enlargeYoungGeneration(enlargedBytes), 500).unref()

/**
 * Enlarges the young generation. V8 does this after more objects have survived collections than it has room
 * for.
 */
function enlargeYoungGeneration(bytes: number): void {
  const before = youngBytes()
  if (before >= bytes) return
  setFlagsFromString(`--semi-space-growth-factor=${Math.ceil(bytes / before)}`)
  const alive: unknown[] = []
  // This takes a few milliseconds. The limit is for a version of V8 that works differently.
  while (youngBytes() < bytes && alive.length < 100_000) {
    for (let made = 0; made < 2000; made += 1) alive.push([made])
  }
  setFlagsFromString('--semi-space-growth-factor=1')
}

/** Returns the size of the young generation, used and free. */
function youngBytes(): number {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
  return young === undefined ? 0 : young.space_used_size + young.space_available_size
}
