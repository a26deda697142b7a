/** Moves a subject to the next status, or corrects the present one. */
import { useState } from 'react';
import type { ParticipationAnswer } from '../../../src-server/api/contract/index.ts';
import { needsReason } from '../../../src-server/study/participation.ts';
import {
  DATA_DECISIONS,
  type DataDecision,
  SUBJECT_STATUSES,
  type SubjectStatus,
} from '../../../src-server/vocabulary/participation.ts';
import { client } from '../../shared/api/client.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Field } from '../../shared/kit/controls.tsx';
import { FormDialog, useCheckedSubmit, useFieldErrors } from '../../shared/kit/form-dialog.tsx';
import { Checkbox, RadioChoice, Select } from '../../shared/kit/forms.tsx';
import { ReasonField } from './reason-field.tsx';
import { dateProblem, type SubjectPlace, useStep } from './use-step.ts';

export function StatusDialog({
  place,
  participation,
  to,
  onClose,
}: {
  place: SubjectPlace;
  participation: ParticipationAnswer;
  /** Absent: a correction, to any status. */
  to?: SubjectStatus;
  onClose: () => void;
}) {
  const { t } = useWords();
  const isCorrection = to === undefined;
  const [chosen, setChosen] = useState<SubjectStatus>(to ?? participation.status);
  const [date, setDate] = useState(isCorrection ? participation.statusDate : participation.today);
  const [reason, setReason] = useState('');
  const [dataDecision, setDecision] = useState<DataDecision>(participation.dataDecision ?? 'KEEP_UNTIL');
  const [isPhoneRevoked, setPhoneRevoked] = useState(true);
  const isWithdrawal = chosen === 'WITHDRAWN';
  const isEnd = isWithdrawal || chosen === 'COMPLETED';
  const save = useStep(
    place,
    (id) =>
      client.call('setSubjectStatus', {
        params: place,
        body: {
          ...{ id, status: chosen, date },
          ...(reason.trim() !== '' && { reason: reason.trim() }),
          ...(isCorrection && { isCorrection }),
          ...(isWithdrawal && { dataDecision }),
          ...(isEnd && participation.hasPhone && isPhoneRevoked && { isPhoneRevoked }),
        },
      }),
    onClose,
  );
  const refused = useFieldErrors(save.error);
  const dateWrong = dateProblem(date, participation);
  const isReasonNeeded = needsReason(chosen, isCorrection);
  const isReasonMissing = isReasonNeeded && reason.trim() === '';
  const { wasTried, onSubmit } = useCheckedSubmit(!dateWrong && !isReasonMissing, () => save.mutate());
  const dateError = wasTried && dateWrong ? t(`participation.${dateWrong}`) : refused('date');
  const reasonError = wasTried && isReasonMissing ? t('participation.reasonMissing') : refused('reason');
  const intro = isCorrection
    ? t('participation.correctIntro')
    : isEnd
      ? t(isWithdrawal ? 'participation.withdrawIntro' : 'participation.completeIntro')
      : undefined;
  return (
    <FormDialog
      title={t(isCorrection ? 'participation.correct' : `participation.steps.${chosen}`)}
      intro={intro}
      submitLabel={isCorrection ? t('participation.save') : t(`participation.steps.${chosen}`)}
      mutation={save}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      {isCorrection && (
        <Select
          label={t('participation.newStatus')}
          value={chosen}
          options={SUBJECT_STATUSES.map((id) => ({ id, label: t(`participation.statuses.${id}`) }))}
          onChange={setChosen}
        />
      )}
      <Field label={t('participation.date')} type="date" value={date} onChange={setDate} error={dateError} />
      <ReasonField value={reason} isNeeded={isReasonNeeded} error={reasonError} onChange={setReason} />
      {isWithdrawal && (
        <RadioChoice
          label={t('participation.data')}
          value={dataDecision}
          options={DATA_DECISIONS.map((id) => ({
            id,
            label: t(`participation.decisions.${id}`),
            help: t(`participation.decisionHelp.${id}`),
          }))}
          onChange={setDecision}
        />
      )}
      {isEnd && participation.hasPhone && (
        <Checkbox
          label={t('participation.signOutPhone')}
          help={t('participation.signOutPhoneHelp')}
          isSelected={isPhoneRevoked}
          onChange={setPhoneRevoked}
        />
      )}
    </FormDialog>
  );
}
