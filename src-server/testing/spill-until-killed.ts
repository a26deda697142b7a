/** Child of a test: fills spills in a folder until it is killed, and says when the first one has written its file. */
import { ArrayMemory, ArraySpill } from '../jobs/analytics/array-spill.ts';

const [folder] = process.argv.slice(2);
for (let round = 0; ; round++) {
  const memory = new ArrayMemory(1 << 16);
  const spill = new ArraySpill(memory, folder);
  const handles = Array.from({ length: 40 }, () => spill.put([new Float64Array(1 << 12)]));
  if (spill.get(handles[0]!)[0]!.length !== 1 << 12) throw new Error('The first array was not read back.');
  if (round === 0) process.send?.({ heldBytes: memory.bytes });
  if (round % 2 === 0) spill.close();
}
