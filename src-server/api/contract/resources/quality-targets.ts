/** The targets of the data-quality report as a person gives them: absent members are the defaults, null switches a target off. */
import { z } from 'zod';
import { DEFAULT_QUALITY_TARGETS, QUALITY_LIMITS, type QualityTargets } from '../../../vocabulary/quality.ts';

const target = (name: keyof QualityTargets, description: string) =>
  z.number().min(QUALITY_LIMITS[name].least).max(QUALITY_LIMITS[name].most).meta({ description });

const { wearHours, validDays, readablePercent, taskPercent } = DEFAULT_QUALITY_TARGETS;

export const qualityTargets = z
  .strictObject({
    wearHours: target('wearHours', 'Hours worn from which a day is valid.').default(wearHours),
    validDays: target('validDays', 'Valid days of seven; null: no target.').int().nullable().default(validDays),
    readablePercent: target('readablePercent', 'Readable part of the recorded ECG; null: no target.')
      .nullable()
      .default(readablePercent),
    taskPercent: target('taskPercent', 'Part of the due tasks that was done; null: no target.')
      .nullable()
      .default(taskPercent),
  })
  .meta({
    id: 'QualityTargets',
    description:
      'What a study asks of its data. They may change while the study runs: they change no result, only what the data-quality report compares it with.',
  });
