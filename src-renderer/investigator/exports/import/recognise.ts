/** What the site says of a file from its first bytes, before the file is sent. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { CsvMapping } from '../../../../src-server/vocabulary/csv-mapping.ts';
import { client } from '../../../shared/api/client.ts';

const PART_BYTES = 256 * 1024;

export type Recognition = Awaited<ReturnType<typeof recognise>>;
export type RecognisedText = NonNullable<Recognition['text']>;

function recognise(studyId: string, file: File, mapping: CsvMapping | undefined, signal?: AbortSignal) {
  const body = new FormData();
  body.set('fileName', file.name.slice(0, 200));
  body.set('sizeBytes', String(file.size));
  if (mapping) body.set('csvMapping', JSON.stringify(mapping));
  body.set('head', file.slice(0, PART_BYTES), 'head');
  // The list of members of a ZIP is at its end.
  if (file.size > PART_BYTES) body.set('tail', file.slice(Math.max(PART_BYTES, file.size - PART_BYTES)), 'tail');
  return client.call('recogniseFile', { params: { studyId }, body, ...(signal && { signal }) });
}

/** @param mapping to preview, instead of the proposed one or a template's */
export const recognitionQuery = (studyId: string, file: File | undefined, mapping?: CsvMapping) =>
  queryOptions({
    queryKey: ['recognition', studyId, file?.name, file?.size, file?.lastModified, mapping],
    queryFn: ({ signal }) => recognise(studyId, file!, mapping, signal),
    enabled: studyId !== '' && file !== undefined && file.size > 0,
    placeholderData: mapping ? keepPreviousData : undefined,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
