import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/**
 * Keeps the heap near what is in use; to be imported before anything else.
 *
 * Reading makes much garbage and keeps little, and V8, seeing a machine with much memory, would let it pile up to
 * several times what is in use. The old generation is collected when it has grown by half. The young one is made
 * sixteen times as large as it begins (16 MB) and stays so: as it begins, a quarter of a run's time goes into collecting it, and at a
 * quarter of that size a fifth. V8 makes it small again while little is allocated, as when a run waits for its database; then it is
 * enlarged once more.
 * `npm run memory` holds the effect.
 *
 * V8 would also put objects at once into the old generation that come from where others have lived long, and takes
 * the tokens of a page for such: that costs a third of the time of reading, since almost half of all garbage then
 * waits for the old generation to be collected.
 */
setFlagsFromString('--heap-growing-percent=50')
setFlagsFromString('--no-allocation-site-pretenuring')
enlargeYoungGeneration(16 * youngBytes())
const enlargedBytes = youngBytes()
setInterval(() => enlargeYoungGeneration(enlargedBytes), 500).unref()

/** V8 makes the young generation larger once more objects have outlived a collection than it holds. */
function enlargeYoungGeneration(bytes: number): void {
  const before = youngBytes()
  if (before >= bytes) return
  setFlagsFromString(`--semi-space-growth-factor=${Math.ceil(bytes / before)}`)
  const alive: unknown[] = []
  // A few milliseconds; the bound is for a V8 that does otherwise.
  while (youngBytes() < bytes && alive.length < 100_000) {
    for (let made = 0; made < 2000; made += 1) alive.push([made])
  }
  setFlagsFromString('--semi-space-growth-factor=1')
}

/** Room for objects in the young generation, whether or not it is in use. */
function youngBytes(): number {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
  return young === undefined ? 0 : young.space_used_size + young.space_available_size
}
