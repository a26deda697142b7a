/** The formats of exports, and the tones of their states. */
import type { StudyExport } from '../../../src-server/api/contract/index.ts';
import type { Tone } from '../../shared/kit/controls.tsx';

export type ExportFormat = StudyExport['format'];

export const EXPORT_FORMATS = ['ARCHIVE', 'PARQUET', 'BIDS', 'BEATS'] as const satisfies readonly ExportFormat[];

/** Whether a format supports incremental exports: only what changed since an earlier one. */
export const isIncremental = (format: ExportFormat): boolean => format === 'ARCHIVE' || format === 'PARQUET';

/** Whether an export can be continued by one of its changes; Parquet compares files, so the earlier one must still be there. */
export const isContinuable = ({ format, state, finishedTs }: StudyExport): boolean =>
  isIncremental(format) && (format === 'PARQUET' ? state === 'READY' : finishedTs !== undefined);

export const STATE_TONES: Record<StudyExport['state'], Tone> = {
  WAITING: 'neutral',
  RUNNING: 'info',
  READY: 'good',
  FAILED: 'bad',
  CANCELLED: 'neutral',
  REMOVED: 'neutral',
};
