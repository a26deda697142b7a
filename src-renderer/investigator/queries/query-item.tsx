/** One data query: what it is about, its steps, and the next one. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { DataQuery } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { peopleQuery } from '../../shared/api/note-queries.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Pill } from '../../shared/kit/controls.tsx';
import { FormDialog, useCheckedSubmit } from '../../shared/kit/form-dialog.tsx';
import styles from '../notes/notes.module.css';
import { StepFields } from './step-fields.tsx';
import { excerptOf, isTextMissing, type Step, stepBody, stepsOf } from './steps.ts';

const TONES = { OPEN: 'warn', ANSWERED: 'info', RESOLVED: 'good' } as const;
function StepDialog({ query, step, onClose }: { query: DataQuery; step: Step; onClose: () => void }) {
  const { t } = useWords();
  const { studyId, id: queryId } = query;
  const queries = useQueryClient();
  const [id] = useState(() => crypto.randomUUID());
  const [text, setText] = useState('');
  const people = useQuery({ ...peopleQuery(studyId), enabled: step === 'assign' }).data?.items ?? [];
  const [chosenId, setChosen] = useState<string>();
  // The present assignee may have left the study, and then cannot be chosen again.
  const assigneeId = chosenId ?? people.find((person) => person.id === query.assignee?.id)?.id ?? '';
  const add = useMutation({
    mutationFn: () =>
      client.call('addQueryStep', {
        params: { studyId, queryId },
        body: stepBody(step, id, text, assigneeId),
      }),
    onSuccess: onClose,
    // Also after a refusal: somebody else may have answered.
    onSettled: () => queries.invalidateQueries({ queryKey: ['query', studyId] }),
  });
  const isMissing = isTextMissing(step, text);
  const { wasTried, onSubmit } = useCheckedSubmit(!isMissing, () => add.mutate());
  return (
    <FormDialog
      title={t(`queries.${step}`)}
      intro={query.steps[0]?.text}
      submitLabel={t(`queries.${step}`)}
      mutation={add}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <StepFields
        step={step}
        people={people}
        assigneeId={assigneeId}
        onAssignee={setChosen}
        text={text}
        onText={setText}
        error={wasTried && isMissing ? t('queries.textMissing') : undefined}
      />
    </FormDialog>
  );
}

function Target({ query }: { query: DataQuery }) {
  const { t, format } = useWords();
  const { studyId, subjectId, target, targetId, targetName, targetTs, date, metric } = query;
  const params = { studyId, subjectId };
  const time = targetTs === undefined ? undefined : format.moment(targetTs);
  const name = [targetName, date && format.date(date), metric, time].filter(Boolean).join(', ');
  const text = t('queries.targetOf', { target: t(`queries.targets.${target}`), name });
  if (target === 'DAY')
    return (
      <Link to="/studies/$studyId/subjects/$subjectId/days" params={params} search={{ date }}>
        {text}
      </Link>
    );
  if (target === 'RECORDING' && targetId !== undefined)
    return (
      <Link
        to="/studies/$studyId/subjects/$subjectId/recordings/$recordingId"
        params={{ ...params, recordingId: targetId }}
      >
        {text}
      </Link>
    );
  return (
    <Link to="/studies/$studyId/subjects/$subjectId/labels" params={params}>
      {text}
    </Link>
  );
}

export function QueryItem({
  query,
  isOfStudy,
  isShown = false,
  box,
}: {
  query: DataQuery;
  isOfStudy: boolean;
  /** Whether the address names this query. */
  isShown?: boolean;
  /** The checkbox that selects it for an action on many. */
  box?: ReactNode;
}) {
  const { t, format } = useWords();
  const { user } = useSession();
  const can = usePermissions();
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isShown) row.current?.scrollIntoView({ block: 'center' });
  }, [isShown]);
  const [step, setStep] = useState<Step | null>(null);
  const { studyId, subjectId, subjectName, state, stateTs, assignee, steps } = query;
  const text = excerptOf(query);
  return (
    <li
      ref={row}
      className={styles.note}
      data-state={state}
      data-shown={isShown || undefined}
      aria-current={isShown || undefined}
    >
      <div className={styles.noteHead}>
        {box}
        <Pill tone={TONES[state]}>{t(`queries.states.${state}`)}</Pill>
        <small title={format.dateTime(stateTs)}>{format.ago(stateTs, Date.now())}</small>
        {isOfStudy && (
          <Link to="/studies/$studyId/subjects/$subjectId/queries" params={{ studyId, subjectId }}>
            {subjectName}
          </Link>
        )}
        <Target query={query} />
        {assignee && <small>{t('queries.assigned', { name: assignee.displayName })}</small>}
      </div>
      <ol className={styles.steps}>
        {steps.map((one) => (
          <li key={one.id}>
            <small title={format.dateTime(one.createdTs)}>
              {t(`queries.steps.${one.kind}`)} ·{' '}
              {t('queries.step', { name: one.author.displayName, time: format.moment(one.createdTs) })}
              {one.kind === 'ASSIGN' && ` · ${one.assignee?.displayName ?? t('queries.anyone')}`}
            </small>
            {one.text !== '' && <p className={styles.text}>{one.text}</p>}
          </li>
        ))}
      </ol>
      <div className={styles.followUp}>
        {stepsOf(query, user, can).map((one) => (
          <Button
            key={one}
            small
            kind={one === 'comment' || one === 'assign' ? 'quiet' : 'plain'}
            aria-label={t(`queries.${one}Of`, { text })}
            onPress={() => setStep(one)}
          >
            {t(`queries.${one}`)}
          </Button>
        ))}
      </div>
      {step && <StepDialog query={query} step={step} onClose={() => setStep(null)} />}
    </li>
  );
}
