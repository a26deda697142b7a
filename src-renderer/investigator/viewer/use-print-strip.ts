/** Opens the print view of what the viewer shows. */
import { useNavigate } from '@tanstack/react-router';
import { spanOf } from './data/measure.ts';
import type { ViewerModel } from './data/model.ts';

/** Returns an action that prints the span between the calipers, or else the window. */
export function usePrintStrip(model: ViewerModel): () => void {
  const navigate = useNavigate();
  return () => {
    const { calipers, filter } = model.state.get();
    const { startMs, stopMs } = spanOf(calipers) ?? model.span;
    // The ECG may come from another sensor, whose recordings begin and end at other times.
    const recordings = (model.leadSensor ?? model.sensor).recordings.map(({ recording }) => recording);
    const shown = recordings.find(({ recordingStopTs }) => recordingStopTs > startMs) ?? recordings.at(-1);
    const { studyId, subjectId, id } = shown ?? model.recording;
    void navigate({
      to: '/print/studies/$studyId/subjects/$subjectId/recordings/$recordingId',
      params: { studyId, subjectId, recordingId: id },
      search: { from: Math.round(startMs), to: Math.round(stopMs), filter: filter === 'off' ? undefined : filter },
    });
  };
}
