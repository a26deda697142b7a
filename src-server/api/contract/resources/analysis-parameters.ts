/** The parameters of an analysis as a person gives them: absent members are the defaults, unknown ones are rejected. */
import { z } from 'zod';
import {
  type AnalysisParameters,
  DEFAULT_ANALYSIS_PARAMETERS,
  NON_WEAR_IDS,
  RHYTHM_THRESHOLDS,
  WAIST_CUT_POINT_IDS,
  WRIST_CUT_POINT_IDS,
} from '../../../vocabulary/analysis-parameters.ts';

const { cutPoints, nonWear, rhythm } = DEFAULT_ANALYSIS_PARAMETERS;

const threshold = (name: keyof AnalysisParameters['rhythm'], description: string) =>
  z
    .number()
    .min(RHYTHM_THRESHOLDS[name].least)
    .max(RHYTHM_THRESHOLDS[name].most)
    .default(rhythm[name])
    .meta({ description });

export const analysisParameters = z
  .strictObject({
    cutPoints: z
      .strictObject({
        wrist: z.enum(WRIST_CUT_POINT_IDS).default(cutPoints.wrist),
        waist: z.enum(WAIST_CUT_POINT_IDS).default(cutPoints.waist),
      })
      .default(cutPoints)
      .meta({
        description: 'Published cut points of intensity by place; those of a waist also apply to a lower back.',
      }),
    nonWear: z.enum(NON_WEAR_IDS).default(nonWear).meta({ description: 'Rule of non-wear of a wrist or waist.' }),
    rhythm: z
      .strictObject({
        pauseSeconds: threshold('pauseSeconds', 'An interval between two beats from which it is a pause.'),
        bradycardiaBpm: threshold('bradycardiaBpm', 'Episodes of slow rate lie below, beats/min.'),
        tachycardiaBpm: threshold('tachycardiaBpm', 'Episodes of fast rate lie above, beats/min.'),
        episodeSeconds: threshold('episodeSeconds', 'The least length of an episode.'),
      })
      .default(rhythm)
      .refine(({ bradycardiaBpm, tachycardiaBpm }) => bradycardiaBpm < tachycardiaBpm, {
        path: ['bradycardiaBpm'],
        error: 'must be lower than tachycardiaBpm',
      }),
  })
  .meta({
    id: 'AnalysisParameters',
    description: 'What a study chooses about its analysis. The defaults are used where nothing is chosen.',
  });
