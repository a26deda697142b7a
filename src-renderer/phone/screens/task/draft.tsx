/**
 * A task that is being done. The address names the step (`/draft/7/3` is the third question); without one the step follows
 * from the draft, so a page that was killed opens where it was.
 */
import { lazy, useEffect } from 'react';
import { leaveEntry, navigate } from '../../kit/route.ts';
import { usePhone } from '../../kit/use-phone.ts';
import { ActivityScreen } from './activity.tsx';
import { hasEnded } from './ended-drafts.ts';
import { QuestionScreen } from './question.tsx';
import { nextStep, stepOf, stepPath } from './steps.ts';
import { SummaryScreen } from './summary.tsx';
import { GoneTask } from './task.tsx';

const Overview = lazy(async () => ({ default: (await import('./overview.tsx')).OverviewScreen }));
const Calibration = lazy(async () => ({ default: (await import('./calibration.tsx')).CalibrationScreen }));

export function DraftScreen({ draftId, step }: { draftId: string; step: string | undefined }) {
  const { drafts, tasks } = usePhone();
  const draft = drafts[draftId];
  const task = draft && tasks[draft.taskId];
  const first = draft && task ? stepPath(draftId, stepOf(draft, task)) : undefined;
  useEffect(() => {
    if (step === undefined && first !== undefined) navigate(first, { replaces: true });
  }, [step, first]);
  // Each question has an entry in the history.
  if (!draft && hasEnded(draftId)) return <EndedDraft key={step} />;
  if (!draft || !task) return <GoneTask />;
  if (step === undefined) return null;
  if (step === 'all') return <Overview draft={draft} task={task} />;
  if (step === 'timer' && task.guide === 'POSTURE_CALIBRATION') return <Calibration draft={draft} task={task} />;
  if (step === 'timer') return <ActivityScreen draft={draft} task={task} />;
  // An address of a question that is not asked any more leads to the next one.
  const index = nextStep(draft, task, Number(step) - 1);
  const question = typeof index === 'number' ? task.questions[index] : undefined;
  if (!question || typeof index !== 'number') return <SummaryScreen draft={draft} task={task} />;
  return <QuestionScreen key={question.id} draft={draft} task={task} question={question} index={index} />;
}

/** The back key has led to a task that was sent or deleted: there is nothing to say about it. */
function EndedDraft() {
  useEffect(() => leaveEntry('/today'), []);
  return null;
}
