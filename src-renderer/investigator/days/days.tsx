/** The days of a subject: one at a time, or a week of them. */
import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { SubjectDetail } from '../../../src-server/api/contract/index.ts';
import { subjectQuery } from '../../shared/api/queries.ts';
import { dayOptions, dayToOpen } from './day-options.ts';
import { DayView } from './day-view.tsx';
import { WeekView } from './week/week-view.tsx';

function DaysOf({ subject }: { subject: SubjectDetail }) {
  const { date, view } = useSearch({ from: '/desk/studies/$studyId/subjects/$subjectId/days' });
  const days = useMemo(() => dayOptions(subject, Date.now()), [subject]);
  // What arrives while someone reads must not put another day under their eyes.
  const [opened] = useState(() => dayToOpen(days));
  const View = view === 'week' || view === 'week-table' ? WeekView : DayView;
  return <View subject={subject} days={days} date={date ?? opened} />;
}

export function Days() {
  const params = useParams({ from: '/desk/studies/$studyId/subjects/$subjectId/days' });
  const subject = useQuery(subjectQuery(params.studyId, params.subjectId));
  return subject.data ? <DaysOf key={subject.data.id} subject={subject.data} /> : null;
}
