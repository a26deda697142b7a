/** Asks for the samples that the viewer shows first, beside its overview and before it mounts. */
import type { QueryClient } from '@tanstack/react-query';
import { askAhead, client } from '../../../shared/api/client.ts';
import { recordingOverviewQuery, recordingsBesideQuery } from '../../../shared/api/queries.ts';
import { openingMs } from './opening.ts';
import { firstSegments, rawDataCall } from './samples.ts';

/** @param atMs instant at which the view opens; the first readable signal without one */
export async function askFirstSamples(
  queries: QueryClient,
  { studyId, subjectId, recordingId }: { studyId: string; subjectId: string; recordingId: string },
  atMs: number | undefined,
): Promise<void> {
  const [{ items }, readableMs] = await Promise.all([
    queries.fetchQuery(recordingsBesideQuery(studyId, subjectId, recordingId)),
    // A time in the address does not wait for the overview.
    atMs ?? queries.fetchQuery(recordingOverviewQuery(studyId, recordingId)).then(openingMs),
  ]);
  const recording = items.find(({ id }) => id === recordingId);
  if (!recording) return;
  for (const index of firstSegments(recording, atMs, readableMs))
    askAhead(client.url('getRawData', rawDataCall(recording, index)));
}
