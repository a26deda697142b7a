/** What the desk knows of the forms of an export. */
import type { StudyExport } from '../../../src-server/api/contract/index.ts';
import type { Tone } from '../../shared/kit/controls.tsx';

export type ExportFormat = StudyExport['format'];

export const EXPORT_FORMATS = ['ARCHIVE', 'PARQUET', 'BIDS'] as const satisfies readonly ExportFormat[];

/** The forms that can hold only what changed since an earlier export. */
export const isIncremental = (format: ExportFormat): boolean => format === 'ARCHIVE';

export const STATE_TONES: Record<StudyExport['state'], Tone> = {
  WAITING: 'neutral',
  RUNNING: 'info',
  READY: 'good',
  FAILED: 'bad',
  CANCELLED: 'neutral',
  REMOVED: 'neutral',
};
