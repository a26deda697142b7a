/** The pages of a study, in the order of their tabs. Members are for those who may manage them. */
export const STUDY_VIEWS = [
  { to: '/studies/$studyId', label: 'studyTabs.overview' },
  { to: '/studies/$studyId/subjects', label: 'studyTabs.subjects' },
  { to: '/studies/$studyId/definition', label: 'studyTabs.definition' },
  { to: '/studies/$studyId/history', label: 'study.history' },
  { to: '/studies/$studyId/members', label: 'study.members', needs: 'study.members' },
] as const;
