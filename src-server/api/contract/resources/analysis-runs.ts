/** The method by which a study is analysed, and analysis runs: results by another method beside those in use. */
import { z } from 'zod';
import { RUN_STATES, RUN_SUBJECT_STATES } from '../../../vocabulary/analysis-runs.ts';
import { count, created, date, id, nameText, timestamp } from '../common.ts';
import { pageOf, pageQuery } from '../paging.ts';
import { defineRoutes } from '../route.ts';
import { analysisParameters } from './analysis-parameters.ts';

const version = z.string().min(1).max(100).meta({ description: 'Version of the algorithms, such as `11`.' });
const methodHash = z.string().meta({
  description: 'SHA-256 of version and parameters. Results with the same one, of the same data, are the same.',
});
const reason = z.string().max(1000).meta({ description: 'Kept with it and in the audit trail.' });
const name = z.string().max(100).meta({ description: 'Unlike those of the other runs of the study.' });

const analysis = z
  .strictObject({
    programVersion: version.meta({ description: 'The version that this program analyses with.' }),
    pinnedVersion: version.optional().meta({
      description:
        'The only version that the study is analysed with. While the program has another one, new data waits. Absent: that of the program.',
    }),
    parameters: analysisParameters,
    methodHash,
    versions: z
      .array(z.strictObject({ algorithmVersion: z.string(), days: count }))
      .meta({ description: 'How many days of the study each version computed.' }),
    signedDays: count.meta({
      description:
        'Days that bear a signature. Once a run is adopted, signatures over days that it changes are shown as changed.',
    }),
    waiting: z
      .strictObject({ subjects: count, sinceTs: timestamp })
      .optional()
      .meta({ description: 'Subjects whose new data waits for the pinned version.' }),
  })
  .meta({ id: 'Analysis' });
export type Analysis = z.infer<typeof analysis>;

const runFields = {
  id,
  name,
  reason,
  version,
  parameters: analysisParameters,
  methodHash,
  isWholeStudy: z.boolean().meta({ description: 'False: of some subjects only. Such a run cannot be adopted.' }),
  isAvailable: z.boolean().meta({ description: 'True when this program has its version.' }),
  state: z.enum(RUN_STATES).meta({
    description:
      'READY: every subject is analysed from the present data. OUTDATED: data changed or subjects came since. REPLACED: results that were in use before another run was adopted.',
  }),
  replacedBy: id.optional().meta({ description: 'Of replaced results: the run that was adopted in their place.' }),
  authorId: id.optional(),
  authorName: z.string().optional(),
  createdTs: timestamp,
  finishedTs: timestamp.optional(),
  cancelledTs: timestamp.optional(),
  adoptedTs: timestamp.optional(),
  adoptedBy: id.optional(),
  adoptedByName: z.string().optional(),
  adoptReason: z.string().optional(),
  counts: z
    .strictObject({ total: count, done: count, open: count, failed: count, outdated: count })
    .meta({ description: 'Subjects by state; outdated ones include those that the run does not have yet.' }),
};
const run = z.strictObject(runFields).meta({ id: 'AnalysisRun' });
export type AnalysisRun = z.infer<typeof run>;

const runDetail = z
  .strictObject({
    ...runFields,
    subjects: z.array(
      z.strictObject({
        subjectId: id,
        displayName: z.string(),
        state: z.enum([...RUN_SUBJECT_STATES, 'MISSING']),
        problem: z.string().optional().meta({ description: 'Why its analysis failed: a full English sentence.' }),
        jobId: id.optional(),
      }),
    ),
  })
  .meta({ id: 'AnalysisRunDetail' });
export type AnalysisRunDetail = z.infer<typeof runDetail>;

const interval = z.strictObject({ low: z.number(), high: z.number() }).meta({ id: 'Interval' });
const agreementFields = {
  pairs: count.meta({ description: 'Days that have the metric in both results.' }),
  equalPairs: count.meta({ description: 'Those with the same value in both.' }),
  subjects: count,
  form: z.enum(['SINGLE', 'REPEATED']).meta({
    description:
      'REPEATED: several subjects with several days, so the variance within subjects is taken apart (Bland and Altman 2007). SINGLE: days count as independent (Bland and Altman 1986).',
  }),
  bias: z.number().meta({ description: 'Mean difference, the run minus what is in use.' }),
  sd: z.number().optional().meta({ description: 'Standard deviation of a difference. Absent with one pair.' }),
  biasInterval: interval.optional().meta({ description: '95 % confidence interval.' }),
  lower: z.number().optional().meta({ description: 'Lower 95 % limit of agreement.' }),
  upper: z.number().optional().meta({ description: 'Upper 95 % limit of agreement.' }),
  lowerInterval: interval.optional().meta({ description: '95 % confidence interval of the lower limit.' }),
  upperInterval: interval.optional().meta({ description: '95 % confidence interval of the upper limit.' }),
};

const comparison = z
  .strictObject({
    days: z.strictObject({ both: count, onlyInUse: count, onlyInRun: count }),
    metrics: z.array(
      z
        .strictObject({ name: z.string(), onlyInUse: count, onlyInRun: count, ...agreementFields })
        .meta({ id: 'MetricAgreement' }),
    ),
  })
  .meta({ id: 'RunComparison' });
export type RunComparison = z.infer<typeof comparison>;
export type MetricAgreement = RunComparison['metrics'][number];

export const MOST_POINTS = 2000;

const points = z.strictObject({
  name: z.string(),
  pairs: count,
  points: z
    .array(z.strictObject({ subjectId: id, date, inUse: z.number(), run: z.number() }).meta({ id: 'ComparisonPoint' }))
    .meta({ description: `At most ${MOST_POINTS}: the largest differences, and others evenly.` }),
});
export type ComparisonPoints = z.infer<typeof points>;

const ofStudy = z.object({ studyId: id });
const ofRun = z.object({ studyId: id, runId: id });

export const analysisRunRoutes = defineRoutes({
  getAnalysis: {
    method: 'GET',
    path: '/studies/{studyId}/analysis',
    access: 'user',
    operation: 'analysis.read',
    tag: 'Analysis runs',
    summary: 'Get how a study is analysed',
    description: 'Version, parameters and pin, the versions that its days were computed by, and what waits.',
    params: ofStudy,
    status: 200,
    response: analysis,
  },
  pinAnalysis: {
    method: 'PUT',
    path: '/studies/{studyId}/analysis',
    access: 'user',
    operation: 'analysis.adopt',
    tag: 'Analysis runs',
    summary: 'Pin a study to a version of the algorithms',
    description:
      'With null the study follows the program. While a study is pinned to a version that the program does not have, new data is stored and waits; Today says so. 409 VERSION_NOT_AVAILABLE for a version that neither the program nor a day of the study has.',
    params: ofStudy,
    body: z.object({ pinnedVersion: version.nullable(), reason }),
    status: 200,
    response: analysis,
  },
  listAnalysisRuns: {
    method: 'GET',
    path: '/studies/{studyId}/analysis-runs',
    access: 'user',
    operation: 'analysis.read',
    tag: 'Analysis runs',
    summary: 'List the analysis runs of a study',
    description: 'Also results that were in use before a run was adopted.',
    order: ['-createdTs', '-id'],
    params: ofStudy,
    query: z.object(pageQuery),
    status: 200,
    response: pageOf(run),
  },
  createAnalysisRun: {
    method: 'POST',
    path: '/studies/{studyId}/analysis-runs',
    access: 'user',
    operation: 'analysis.run',
    tag: 'Analysis runs',
    summary: 'Analyse a study again, beside what is in use',
    description:
      'One job per subject, which new data overtakes. Metrics, exports and signatures stay as they are until the run is adopted. 409 VERSION_NOT_AVAILABLE for a version that this program does not have.',
    params: ofStudy,
    body: z.object({
      name: nameText(100).meta({ description: 'Unlike those of the other runs of the study.' }),
      reason,
      version: version.optional().meta({ description: 'Default: that of the program.' }),
      parameters: analysisParameters.optional().meta({ description: 'Default: those of the study.' }),
      subjectIds: z
        .array(id)
        .min(1)
        .max(10_000)
        .optional()
        .meta({ description: 'Default: all with recordings. A run of some subjects cannot be adopted.' }),
    }),
    status: 201,
    response: created,
  },
  getAnalysisRun: {
    method: 'GET',
    path: '/studies/{studyId}/analysis-runs/{runId}',
    access: 'user',
    operation: 'analysis.read',
    tag: 'Analysis runs',
    summary: 'Get an analysis run with its subjects',
    description: 'Each subject with its state, and why its analysis failed. Of an adopted run there are none any more.',
    params: ofRun,
    status: 200,
    response: runDetail,
  },
  cancelAnalysisRun: {
    method: 'POST',
    path: '/studies/{studyId}/analysis-runs/{runId}/cancel',
    access: 'user',
    operation: 'analysis.run',
    tag: 'Analysis runs',
    summary: 'Cancel an analysis run',
    description: 'Subjects that are done keep their results. 409 CONFLICT when it is adopted or of replaced results.',
    params: ofRun,
    status: 204,
  },
  refreshAnalysisRun: {
    method: 'POST',
    path: '/studies/{studyId}/analysis-runs/{runId}/refresh',
    access: 'user',
    operation: 'analysis.run',
    tag: 'Analysis runs',
    summary: 'Bring an analysis run up to date',
    description:
      'Analyses subjects without results, whose data changed since, or that are new. A cancelled run continues. One whose data is as it was counts as done, without an analysis. 409 CONFLICT when it is adopted, 409 VERSION_NOT_AVAILABLE when there is something to analyse and the run has another version than the program.',
    params: ofRun,
    status: 200,
    response: z.strictObject({ queued: count }),
  },
  deleteAnalysisRun: {
    method: 'POST',
    path: '/studies/{studyId}/analysis-runs/{runId}/delete',
    access: 'user',
    operation: 'analysis.delete',
    tag: 'Analysis runs',
    summary: 'Delete an analysis run',
    description:
      'Its results are permanently deleted; the audit trail keeps its name, method and the reason. Files of its results go a week later, when no backup that was under way can need them. 409 CONFLICT when it was adopted, is being computed, or has the version that the study is pinned to.',
    params: ofRun,
    body: z.object({ name: name.meta({ description: 'That of the run, as a confirmation.' }), reason }),
    status: 204,
  },
  adoptAnalysisRun: {
    method: 'POST',
    path: '/studies/{studyId}/analysis-runs/{runId}/adopt',
    access: 'user',
    operation: 'analysis.adopt',
    tag: 'Analysis runs',
    summary: 'Put the results of an analysis run into use',
    description:
      'In one step: metrics, channels and exports are those of the run from then on, the study is analysed by its method, and what was in use becomes a run of its own, which can be adopted in turn. 409 CONFLICT when the run is incomplete, outdated or of some subjects, 409 STUDY_LOCKED in a locked study.',
    params: ofRun,
    body: z.object({ reason }),
    status: 200,
    response: z.strictObject({
      replacedRunId: id.optional().meta({ description: 'Of what was in use; absent when there was nothing.' }),
    }),
  },
  compareAnalysisRun: {
    method: 'GET',
    path: '/studies/{studyId}/analysis-runs/{runId}/comparison',
    access: 'user',
    operation: 'analysis.read',
    tag: 'Analysis runs',
    summary: 'Compare an analysis run with what is in use',
    description:
      'Per metric: bias and 95 % limits of agreement with confidence intervals, of the days that have it in both. Of an adopted run there is nothing to compare; compare the results that it replaced.',
    order: 'of `metrics`: name',
    params: ofRun,
    status: 200,
    response: comparison,
  },
  getComparisonPoints: {
    method: 'GET',
    path: '/studies/{studyId}/analysis-runs/{runId}/comparison/{metric}',
    access: 'user',
    operation: 'analysis.read',
    tag: 'Analysis runs',
    summary: 'Get the days of one compared metric',
    description: 'The value in use and that of the run, for a plot of differences over means.',
    order: 'of `points`: subject, then date',
    params: z.object({ studyId: id, runId: id, metric: z.string().max(100) }),
    status: 200,
    response: points,
  },
});
