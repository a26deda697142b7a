/** What every recording of a foreign device says about its clock and its subject, once all pages are read. */
import { clockChangeNote } from './local-time.ts';
import type { ImportedRecording, SourceClock } from './types.ts';

/** Adds notes of a change of clocks inside the recording, and of the subject code that the device holds. */
export function withDeviceNotes(
  recording: ImportedRecording,
  clock: SourceClock | undefined,
  timeZone: string | undefined,
): ImportedRecording {
  const subjectCode = recording.header.device?.subjectCode;
  return {
    ...recording,
    async *pages() {
      let firstUs = Number.POSITIVE_INFINITY;
      let lastUs = Number.NEGATIVE_INFINITY;
      for await (const page of recording.pages()) {
        firstUs = Math.min(firstUs, page.startUs);
        lastUs = Math.max(lastUs, page.startUs + page.count * page.periodUs);
        yield page;
      }
      const isFixed = clock?.kind === 'WALL_CLOCK' && !recording.followsClockChanges;
      if (isFixed && timeZone !== undefined && firstUs < lastUs) {
        const note = clockChangeNote(firstUs, lastUs, timeZone);
        if (note !== null) recording.notes.push(note);
      }
      if (subjectCode) {
        recording.notes.push(
          `The file names the subject code "${subjectCode}". Compare it: the recording was stored for the subject that was chosen here.`,
        );
      }
    },
  };
}
