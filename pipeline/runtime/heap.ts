import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/**
 * Keeps the heap near what is in use; to be imported before anything else.
 *
 * Reading makes much garbage and keeps little, and V8, seeing a machine with much memory, would let it pile up to
 * several times what is in use. The old generation is collected when it has grown by half. The young one is made
 * four times as large as it begins and stays so: as it begins, a quarter of a run's time goes into collecting it.
 * `npm run memory` holds the effect.
 *
 * V8 would also put objects at once into the old generation that come from where others have lived long, and takes
 * the tokens of a page for such: that costs a third of the time of reading, since almost half of all garbage then
 * waits for the old generation to be collected.
 */
setFlagsFromString('--heap-growing-percent=50')
setFlagsFromString('--no-allocation-site-pretenuring')
enlargeYoungGeneration()

/** V8 makes the young generation larger once more objects have outlived a collection than it holds. */
function enlargeYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=4')
  const before = youngBytes()
  const alive: unknown[] = []
  // A few milliseconds; the bound is for a V8 that does otherwise.
  while (youngBytes() <= 2 * before && alive.length < 100_000) {
    for (let made = 0; made < 2000; made += 1) alive.push([made])
  }
  setFlagsFromString('--semi-space-growth-factor=1')
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0
}
