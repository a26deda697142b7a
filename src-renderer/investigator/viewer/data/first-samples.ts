/** Asks for the samples that the viewer shows first, beside its overview and before it mounts. */
import type { QueryClient } from '@tanstack/react-query';
import { askAhead, client } from '../../../shared/api/client.ts';
import { recordingsBesideQuery } from '../../../shared/api/queries.ts';
import { firstSegments, rawDataCall } from './samples.ts';

/** @param atMs instant at which the view opens; the start of the recording without one */
export async function askFirstSamples(
  queries: QueryClient,
  { studyId, subjectId, recordingId }: { studyId: string; subjectId: string; recordingId: string },
  atMs: number | undefined,
): Promise<void> {
  const { items } = await queries.fetchQuery(recordingsBesideQuery(studyId, subjectId, recordingId));
  const recording = items.find(({ id }) => id === recordingId);
  if (!recording) return;
  for (const index of firstSegments(recording, atMs)) askAhead(client.url('getRawData', rawDataCall(recording, index)));
}
