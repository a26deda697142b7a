/** Assigns group and stratum of a subject; a change of either takes a reason. */
import { useState } from 'react';
import type { ParticipationAnswer, StudyPlanAnswer } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { FormDialog, useCheckedSubmit, useFieldErrors } from '../../shared/kit/form-dialog.tsx';
import { Select } from '../../shared/kit/forms.tsx';
import { replacesGroup } from './group-choice.ts';
import { ReasonField } from './reason-field.tsx';
import { type SubjectPlace, useStep } from './use-step.ts';

export function GroupDialog({
  place,
  participation,
  plan,
  onClose,
}: {
  place: SubjectPlace;
  participation: ParticipationAnswer;
  plan: StudyPlanAnswer;
  onClose: () => void;
}) {
  const { t } = useWords();
  const [groupId, setGroup] = useState(participation.group?.id ?? '');
  const [stratumId, setStratum] = useState(participation.stratum?.id ?? '');
  const [reason, setReason] = useState('');
  const needsReason = replacesGroup(participation, { groupId, stratumId });
  const save = useStep(
    place,
    (id) =>
      client.call('setSubjectGroup', {
        params: place,
        body: {
          id,
          ...(groupId && { groupId }),
          ...(stratumId && { stratumId }),
          ...(reason.trim() !== '' && { reason: reason.trim() }),
        },
      }),
    onClose,
  );
  const refused = useFieldErrors(save.error);
  const isMissing = needsReason && reason.trim() === '';
  const { wasTried, onSubmit } = useCheckedSubmit(!isMissing, () => save.mutate());
  const reasonError = wasTried && isMissing ? t('participation.reasonMissing') : refused('reason');
  const none = { id: '', label: t('participation.none') };
  const optionsOf = (choices: StudyPlanAnswer['groups']) => [
    none,
    ...choices.map(({ id, displayName }) => ({ id, label: displayName })),
  ];
  const title = t(participation.group ? 'participation.changeGroup' : 'participation.setGroup');
  return (
    <FormDialog title={title} submitLabel={title} mutation={save} onSubmit={onSubmit} onClose={onClose}>
      {plan.groups.length > 0 && (
        <Select label={t('participation.group')} value={groupId} options={optionsOf(plan.groups)} onChange={setGroup} />
      )}
      {plan.strata.length > 0 && (
        <Select
          label={t('participation.stratum')}
          value={stratumId}
          options={optionsOf(plan.strata)}
          onChange={setStratum}
        />
      )}
      <ReasonField value={reason} isNeeded={needsReason} error={reasonError} onChange={setReason} />
    </FormDialog>
  );
}
