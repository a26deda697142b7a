/** The visits of a subject with their windows, and what becomes of each. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ParticipationAnswer, Visit } from '../../../src-server/api/contract/index.ts';
import type { VisitState } from '../../../src-server/vocabulary/participation.ts';
import { client } from '../../shared/api/client.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, buttonClass, Field, Pill } from '../../shared/kit/controls.tsx';
import { TableFrame } from '../../shared/kit/data-table.tsx';
import { FormDialog, useCheckedSubmit, useFieldErrors } from '../../shared/kit/form-dialog.tsx';
import { Empty } from '../../shared/kit/state.tsx';
import styles from './participation.module.css';
import { ReasonField } from './reason-field.tsx';
import { type SubjectPlace, useStep } from './use-step.ts';

type Act = 'schedule' | 'move' | 'done' | 'missed' | 'cancel' | 'reset';
const STATES: Readonly<Record<Act, VisitState>> = {
  schedule: 'SCHEDULED',
  move: 'SCHEDULED',
  done: 'DONE',
  missed: 'MISSED',
  cancel: 'CANCELLED',
  reset: 'PLANNED',
};
const TONES = { PLANNED: 'neutral', SCHEDULED: 'info', DONE: 'good', MISSED: 'bad', CANCELLED: 'neutral' } as const;

/** What may be done about a visit; nothing is scheduled once the participation has ended or the study is complete. */
function actsOf({ state, isStopped }: Visit, isComplete: boolean): Act[] {
  if (isStopped) return ['done', 'missed'];
  if (isComplete && (state === 'PLANNED' || state === 'SCHEDULED')) return ['done', 'missed', 'cancel'];
  if (state === 'PLANNED') return ['schedule', 'done', 'missed', 'cancel'];
  if (state === 'SCHEDULED') return ['move', 'done', 'missed', 'cancel'];
  return ['reset'];
}

function VisitDialog({
  place,
  participation,
  visit,
  act,
  isComplete,
  onClose,
}: {
  place: SubjectPlace;
  participation: ParticipationAnswer;
  visit: Visit;
  act: Act;
  isComplete: boolean;
  onClose: () => void;
}) {
  const { t, format } = useWords();
  const state = STATES[act];
  const hasDate = state === 'SCHEDULED' || state === 'DONE';
  const { today } = participation;
  const [, first = today] = [visit.targetDate, today].sort();
  const isPast = visit.date !== undefined && visit.date <= today;
  const [date, setDate] = useState(state === 'DONE' ? (isPast ? visit.date! : today) : (visit.date ?? first));
  const [time, setTime] = useState(visit.time ?? '');
  const [reason, setReason] = useState('');
  const save = useStep(
    place,
    (id) =>
      client.call('setVisit', {
        params: place,
        body: {
          ...{ id, visitId: visit.visitId, state },
          ...(hasDate && { date }),
          ...(state === 'SCHEDULED' && time !== '' && { time }),
          ...(reason.trim() !== '' && { reason: reason.trim() }),
        },
      }),
    onClose,
  );
  const refused = useFieldErrors(save.error);
  const isDateMissing = hasDate && date === '';
  const isReasonMissing = isComplete && reason.trim() === '';
  const { wasTried, onSubmit } = useCheckedSubmit(!isDateMissing && !isReasonMissing, () => save.mutate());
  const dateError = wasTried && isDateMissing ? t('participation.dateMissing') : refused('date');
  const timeError = refused('time');
  const reasonError = wasTried && isReasonMissing ? t('participation.reasonMissing') : refused('reason');
  const label = t(`participation.${act}`);
  return (
    <FormDialog
      title={t('participation.actionOf', { action: label, visit: visit.displayName })}
      intro={`${t('participation.window')}: ${t('participation.windowOf', { from: format.date(visit.fromDate), to: format.date(visit.toDate) })}`}
      submitLabel={label}
      mutation={save}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      {hasDate && (
        <Field label={t('participation.date')} type="date" value={date} onChange={setDate} error={dateError} />
      )}
      {state === 'SCHEDULED' && (
        <Field label={t('participation.time')} type="time" value={time} onChange={setTime} error={timeError} />
      )}
      <ReasonField value={reason} isNeeded={isComplete} error={reasonError} onChange={setReason} />
    </FormDialog>
  );
}

function VisitRow({
  visit,
  hasPhone,
  mayChange,
  isComplete,
  onAct,
}: {
  visit: Visit;
  hasPhone: boolean;
  mayChange: boolean;
  isComplete: boolean;
  onAct: (act: Act) => void;
}) {
  const { t, format } = useWords();
  const { displayName, state, date, time, fromDate, toDate, reminderTs, remindedTs } = visit;
  const day = date === undefined ? undefined : format.date(date);
  return (
    <tr>
      <th scope="row" className={styles.name}>
        {displayName}
        {visit.isOptional && <small> {t('participation.optional')}</small>}
      </th>
      <td>{t('participation.windowOf', { from: format.date(fromDate), to: format.date(toDate) })}</td>
      <td>
        <div className={styles.stack}>
          <span className={styles.row}>
            {visit.isStopped ? (
              <Pill>{t('participation.stopped')}</Pill>
            ) : (
              <Pill tone={TONES[state]}>{t(`participation.states.${state}`)}</Pill>
            )}
            {visit.isOverdue && <Pill tone="warn">{t('participation.overdue')}</Pill>}
            {visit.isOutOfWindow && <Pill tone="warn">{t('participation.outOfWindow')}</Pill>}
          </span>
          {day !== undefined && <span>{time === undefined ? day : t('participation.on', { date: day, time })}</span>}
          {remindedTs !== undefined && (
            <small>{t('participation.reminded', { time: format.moment(remindedTs) })}</small>
          )}
          {reminderTs !== undefined && (
            <small>
              {hasPhone
                ? t('participation.reminderAt', { time: format.moment(reminderTs) })
                : t('participation.noPhone')}
            </small>
          )}
        </div>
      </td>
      {mayChange && (
        <td>
          <div className={styles.row}>
            {actsOf(visit, isComplete).map((act) => (
              <Button
                key={act}
                small
                kind={act === 'schedule' || act === 'done' ? 'plain' : 'quiet'}
                aria-label={t('participation.actionOf', { action: t(`participation.${act}`), visit: displayName })}
                onPress={() => onAct(act)}
              >
                {t(`participation.${act}`)}
              </Button>
            ))}
          </div>
        </td>
      )}
    </tr>
  );
}

export function Visits({
  place,
  participation,
  mayChange,
  isComplete,
}: {
  place: SubjectPlace;
  participation: ParticipationAnswer;
  mayChange: boolean;
  isComplete: boolean;
}) {
  const { t } = useWords();
  const [open, setOpen] = useState<{ visit: Visit; act: Act } | null>(null);
  const { visits, hasPhone } = participation;
  if (visits.length === 0)
    return (
      <Empty icon="check" title={t('participation.noVisits')} help={t('participation.noVisitsHelp')}>
        <Link to="/studies/$studyId/plan" params={{ studyId: place.studyId }} className={buttonClass()}>
          {t('participation.toPlan')}
        </Link>
      </Empty>
    );
  return (
    <>
      <TableFrame caption={t('participation.visitWindows')} tableClassName={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t('participation.visit')}</th>
            <th scope="col">{t('participation.window')}</th>
            <th scope="col">{t('participation.state')}</th>
            {mayChange && <th scope="col">{t('participation.actions')}</th>}
          </tr>
        </thead>
        <tbody>
          {visits.map((visit) => (
            <VisitRow
              key={visit.visitId}
              visit={visit}
              hasPhone={hasPhone}
              {...{ mayChange, isComplete }}
              onAct={(act) => setOpen({ visit, act })}
            />
          ))}
        </tbody>
      </TableFrame>
      {open && (
        <VisitDialog
          key={`${open.visit.visitId} ${open.act}`}
          place={place}
          participation={participation}
          isComplete={isComplete}
          {...open}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  );
}
