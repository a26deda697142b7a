/** Encodes one recording of a study export. */
import { makePart } from '../../exporters/study-export/make-part.ts';
import type { PartTask } from '../../exporters/study-export/part-task.ts';
import { ArrayMemory, ArraySpill } from '../analytics/array-spill.ts';
import type { WorkerContext } from './tasks.ts';

export async function exportPart(task: PartTask, { signal, progress }: WorkerContext): Promise<null> {
  const arrays = new ArraySpill(new ArrayMemory());
  try {
    await makePart(task, { signal, onSamples: (done) => progress({ done, total: 0, step: '' }), arrays });
    return null;
  } finally {
    arrays.close();
  }
}
