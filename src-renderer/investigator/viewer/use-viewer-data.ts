/** What the viewer of one recording shows: its model, its labels with their undo history, and the band of activities. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Recording, RecordingOverview } from '../../../src-server/api/contract/index.ts';
import { MINUTE_MS } from '../../../src-server/durations.ts';
import { annotationsBetweenQuery, channelsQuery } from '../../shared/api/queries.ts';
import { activityBands } from '../days/lanes/day-data.ts';
import { LabelHistory } from './data/label-history.ts';
import { labelsOf } from './data/labels.ts';
import { ViewerModel } from './data/model.ts';
import { useHasShown } from './use-lanes.ts';

const ACTIVITY_INTERVAL_MS = MINUTE_MS;

/** @param atMs instant at which the view opens; the first readable signal without one */
export function useViewerData(recording: Recording, overview: RecordingOverview, atMs: number | undefined) {
  const queries = useQueryClient();
  const { studyId, subjectId } = recording;
  // biome-ignore lint/correctness/useExhaustiveDependencies: one model for each recording; `atMs` counts only when it opens
  const model = useMemo(() => new ViewerModel(recording, overview, atMs), [recording.id]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: one history for each recording
  const history = useMemo(
    () =>
      new LabelHistory(recording, () => queries.invalidateQueries({ queryKey: ['annotation', studyId, subjectId] })),
    [recording.id],
  );
  const { startMs, stopMs } = model.extent;
  const annotations = useQuery(annotationsBetweenQuery(studyId, subjectId, startMs, stopMs));
  const labels = useMemo(() => labelsOf(annotations.data?.items ?? [], model.extent), [annotations.data, model]);
  const hasShown = useHasShown(model);
  const channels = useQuery({
    ...channelsQuery(studyId, subjectId, startMs, stopMs, ACTIVITY_INTERVAL_MS),
    // Fetched after the signals, because it reads a whole day of data.
    enabled: hasShown,
  });
  const activity = useMemo(() => activityBands(channels.data?.channels ?? [], ACTIVITY_INTERVAL_MS), [channels.data]);
  return { model, history, annotations, labels, activity, hasShown };
}
