/** The pages of a study, in the order of their tabs; `needs` is the permission that a page takes. */
export const STUDY_VIEWS = [
  { to: '/studies/$studyId', label: 'studyTabs.overview' },
  { to: '/studies/$studyId/subjects', label: 'studyTabs.subjects' },
  { to: '/studies/$studyId/quality', label: 'studyTabs.quality' },
  { to: '/studies/$studyId/board', label: 'studyTabs.board' },
  { to: '/studies/$studyId/definition', label: 'studyTabs.definition' },
  { to: '/studies/$studyId/plan', label: 'studyTabs.plan' },
  { to: '/studies/$studyId/analysis', label: 'studyTabs.analysis' },
  { to: '/studies/$studyId/notes', label: 'studyTabs.notes' },
  { to: '/studies/$studyId/queries', label: 'studyTabs.queries' },
  { to: '/studies/$studyId/history', label: 'study.history' },
  { to: '/studies/$studyId/access', label: 'studyTabs.access' },
  { to: '/studies/$studyId/signatures', label: 'studyTabs.signatures' },
  { to: '/studies/$studyId/members', label: 'study.members', needs: 'study.members' },
] as const;

/** The pages of a subject, in the order of their tabs. */
export const SUBJECT_VIEWS = [
  { to: '/studies/$studyId/subjects/$subjectId/days', label: 'subject.days' },
  { to: '/studies/$studyId/subjects/$subjectId/metrics', label: 'subject.metrics' },
  { to: '/studies/$studyId/subjects/$subjectId/tasks', label: 'subjectActions.tasks' },
  { to: '/studies/$studyId/subjects/$subjectId/recordings', label: 'subject.recordings' },
  { to: '/studies/$studyId/subjects/$subjectId/labels', label: 'subject.labels' },
  { to: '/studies/$studyId/subjects/$subjectId/coverage', label: 'subject.coverage' },
  { to: '/studies/$studyId/subjects/$subjectId/participation', label: 'subject.participation' },
  { to: '/studies/$studyId/subjects/$subjectId/equipment', label: 'subject.equipment' },
  { to: '/studies/$studyId/subjects/$subjectId/messages', label: 'subject.messages' },
  { to: '/studies/$studyId/subjects/$subjectId/notes', label: 'subject.notes' },
  { to: '/studies/$studyId/subjects/$subjectId/queries', label: 'subject.queries' },
  { to: '/studies/$studyId/subjects/$subjectId/history', label: 'subject.history' },
] as const;
