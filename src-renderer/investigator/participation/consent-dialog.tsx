/** Records a consent with the signed form, or voids one. */
import { useId, useState } from 'react';
import type { ParticipationAnswer, StudyPlanAnswer } from '../../../src-server/api/contract/index.ts';
import { LARGEST_CONSENT_BYTES } from '../../../src-server/vocabulary/participation.ts';
import { client } from '../../shared/api/client.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Field } from '../../shared/kit/controls.tsx';
import { FormDialog, useCheckedSubmit, useFieldErrors } from '../../shared/kit/form-dialog.tsx';
import { Select } from '../../shared/kit/forms.tsx';
import styles from './participation.module.css';
import { ReasonField } from './reason-field.tsx';
import { dateProblem, type SubjectPlace, useStep } from './use-step.ts';

const TYPES = 'application/pdf,image/png,image/jpeg';

export function ConsentDialog({
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
  const fileId = useId();
  const [version, setVersion] = useState(plan.consentForms.at(-1)?.version ?? '');
  const [date, setDate] = useState(participation.today);
  const [document, setDocument] = useState<File | null>(null);
  const save = useStep(
    place,
    (id) => {
      const body = new FormData();
      body.set('id', id);
      body.set('version', version);
      body.set('date', date);
      if (document) body.set('document', document);
      return client.call('addConsent', { params: place, body });
    },
    onClose,
  );
  const refused = useFieldErrors(save.error);
  const dateWrong = dateProblem(date, participation);
  const isFileWrong =
    document !== null && (!TYPES.split(',').includes(document.type) || document.size > LARGEST_CONSENT_BYTES);
  const { wasTried, onSubmit } = useCheckedSubmit(!dateWrong && !isFileWrong, () => save.mutate());
  const dateError = wasTried && dateWrong ? t(`participation.${dateWrong}`) : refused('date');
  const fileError = isFileWrong || refused('document') ? t('participation.documentType') : undefined;
  return (
    <FormDialog
      title={t('participation.addConsent')}
      submitLabel={t('participation.addConsent')}
      mutation={save}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <Select
        label={t('participation.version')}
        value={version}
        options={plan.consentForms.map((form) => ({ id: form.version, label: form.version }))}
        onChange={setVersion}
      />
      <Field label={t('participation.date')} type="date" value={date} onChange={setDate} error={dateError} />
      <div className={styles.stack}>
        <label htmlFor={fileId}>{t('participation.document')}</label>
        <input
          id={fileId}
          type="file"
          accept={TYPES}
          aria-describedby={`${fileId}-help`}
          aria-invalid={fileError !== undefined}
          onChange={({ target }) => setDocument(target.files?.[0] ?? null)}
        />
        <small id={`${fileId}-help`} role={fileError === undefined ? undefined : 'alert'}>
          {fileError ?? t('participation.documentHelp')}
        </small>
      </div>
    </FormDialog>
  );
}

export function VoidDialog({
  place,
  participation,
  version,
  onClose,
}: {
  place: SubjectPlace;
  participation: ParticipationAnswer;
  version: string;
  onClose: () => void;
}) {
  const { t } = useWords();
  const [reason, setReason] = useState('');
  const save = useStep(
    place,
    (id) =>
      client.call('voidConsent', {
        params: place,
        body: { id, version, date: participation.today, reason: reason.trim() },
      }),
    onClose,
  );
  const isMissing = reason.trim() === '';
  const { wasTried, onSubmit } = useCheckedSubmit(!isMissing, () => save.mutate());
  return (
    <FormDialog
      title={t('participation.voidTitle')}
      intro={t('participation.voidIntro')}
      submitLabel={t('participation.voidConsent')}
      mutation={save}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <ReasonField
        value={reason}
        isNeeded
        error={wasTried && isMissing ? t('participation.reasonMissing') : undefined}
        onChange={setReason}
      />
    </FormDialog>
  );
}
