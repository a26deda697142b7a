/** The days of a subject: one at a time, or a week of them. */
import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { useDeferredValue, useMemo, useState } from 'react';
import { type DeskSubject, subjectQuery } from '../../shared/api/queries.ts';
import { dayOptions, dayToOpen } from './day-options.ts';
import { DayView } from './day-view.tsx';
import { WeekView } from './week/week-view.tsx';

function SubjectDays({ subject }: { subject: DeskSubject }) {
  const { date, view } = useSearch({ from: '/desk/studies/$studyId/subjects/$subjectId/days' });
  const days = useMemo(() => dayOptions(subject, Date.now()), [subject]);
  // Chosen once, so that data arriving later does not switch the reader to another day.
  const [initialDate] = useState(() => dayToOpen(days));
  const View = view === 'week' || view === 'week-table' ? WeekView : DayView;
  return <View subject={subject} days={days} date={date ?? initialDate} />;
}

export function Days() {
  const params = useParams({ from: '/desk/studies/$studyId/subjects/$subjectId/days' });
  const subject = useDeferredValue(useQuery(subjectQuery(params.studyId, params.subjectId)).data);
  return subject ? <SubjectDays key={subject.id} subject={subject} /> : null;
}
