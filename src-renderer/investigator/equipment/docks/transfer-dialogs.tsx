/** Dialogs to take, dismiss and confirm a recording. Each says what happens to the device: nothing. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Transfer } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { useSession } from '../../../shared/api/session.ts';
import { definitionQuery } from '../../../shared/api/study-queries.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Field } from '../../../shared/kit/controls.tsx';
import { FormDialog, useFieldErrors } from '../../../shared/kit/form-dialog.tsx';
import { Select } from '../../../shared/kit/forms.tsx';
import { Notice } from '../../../shared/kit/state.tsx';
import { SubjectChoice } from '../dialogs.tsx';
import styles from '../equipment.module.css';
import { useEquipmentMutation } from '../equipment-mutation.ts';
import { useSubjectName } from './subject-name.ts';
import { namesOf, periodOf, unreadableTexts } from './transfer-columns.tsx';

type DialogProps = { transfer: Transfer; onClose: () => void };

export function TakeDialog({ transfer, onClose }: DialogProps) {
  const words = useWords();
  const { t } = words;
  const { user } = useSession();
  const [place, setPlace] = useState({ studyId: transfer.studyId ?? '', subjectId: transfer.subjectId ?? '' });
  const [reason, setReason] = useState('');
  const [timeZone, setTimeZone] = useState('');
  const [templateId, setTemplateId] = useState('');
  const [start, setStart] = useState('');
  const [isTried, setTried] = useState(false);
  const { isTable, needsStart, question, lateFiles, missingFiles, unreadableFiles } = transfer;
  const templates = useQuery({ ...definitionQuery(place.studyId), enabled: isTable && place.studyId !== '' }).data
    ?.csvTemplates;
  // A template of another study is none here; the one that fits is chosen until a person chooses otherwise.
  const template = [templateId, transfer.csvTemplateId].find((id) => templates?.some((one) => one.id === id)) ?? '';
  // A text that looks like RR intervals is read without a template too.
  const needsTemplate = isTable && question === 'CSV_TEMPLATE';
  const startMs = start === '' ? undefined : new Date(start).getTime();
  const isCertain = transfer.state === 'OFFERED' && place.subjectId === transfer.subjectId;
  const take = useEquipmentMutation(
    () =>
      client.call('takeTransfer', {
        params: { accountId: user.accountId, transferId: transfer.id },
        body: {
          ...place,
          ...(reason.trim() && { reason: reason.trim() }),
          ...(timeZone.trim() && { timeZone: timeZone.trim() }),
          ...(template && { csvTemplateId: template }),
          ...(startMs !== undefined && { startTs: startMs }),
        },
      }),
    onClose,
  );
  const isAnswered = (!needsTemplate || template !== '') && (!needsStart || startMs !== undefined);
  const errorOf = useFieldErrors(take.error);
  return (
    <FormDialog
      title={t('docks.takeTitle', { name: transfer.displayName })}
      intro={t('docks.takeIntro')}
      submitLabel={t('docks.take')}
      mutation={take}
      onSubmit={() => {
        setTried(true);
        if (place.subjectId && isAnswered && (isCertain || reason.trim())) take.mutate();
      }}
      onClose={onClose}
    >
      {question && (
        <Notice tone="warn">
          {t(`docks.question.${question}`)}
          {lateFiles && ` ${t('docks.lateFiles', { names: namesOf(lateFiles, words) })} ${t('docks.lateHelp')}`}
          {missingFiles && ` ${t('docks.missingFiles', { names: namesOf(missingFiles, words) })}`}
          {unreadableFiles &&
            [...unreadableTexts(unreadableFiles, words), t('docks.unreadableHelp')].map((text) => (
              <p key={text}>{text}</p>
            ))}
        </Notice>
      )}
      <p>{periodOf(transfer, words)}</p>
      <SubjectChoice {...place} onChange={setPlace} error={isTried ? t('equipment.chooseMissing') : undefined} />
      {isTable && (
        <Select
          label={t('docks.template')}
          help={t('docks.templateHelp')}
          value={template}
          options={[
            { id: '', label: t('docks.chooseTemplate') },
            ...(templates ?? []).map(({ id, displayName }) => ({ id, label: displayName })),
          ]}
          onChange={setTemplateId}
          error={isTried && needsTemplate && !template ? t('docks.templateMissing') : errorOf('csvTemplateId')}
        />
      )}
      {needsStart && (
        <Field
          label={t('docks.start')}
          type="datetime-local"
          help={t('docks.startHelp')}
          value={start}
          onChange={setStart}
          error={isTried && startMs === undefined ? t('docks.startMissing') : errorOf('startTs')}
        />
      )}
      {!isCertain && (
        <Field
          label={t('docks.takeReason')}
          help={t('docks.takeReasonHelp')}
          value={reason}
          onChange={setReason}
          maxLength={500}
          error={isTried && !reason.trim() ? t('uploads.reasonMissing') : undefined}
        />
      )}
      <Field
        label={t('docks.timeZone')}
        help={t('docks.timeZoneHelp', { zone: t('docks.timeZoneDefault') })}
        value={timeZone}
        onChange={setTimeZone}
        maxLength={64}
        error={errorOf('timeZone')}
      />
    </FormDialog>
  );
}

export function DismissDialog({ transfer, onClose }: DialogProps) {
  const { t } = useWords();
  const { user } = useSession();
  const [reason, setReason] = useState('');
  const [isTried, setTried] = useState(false);
  const dismiss = useEquipmentMutation(
    () =>
      client.call('dismissTransfer', {
        params: { accountId: user.accountId, transferId: transfer.id },
        body: { reason: reason.trim() },
      }),
    onClose,
  );
  return (
    <FormDialog
      title={t('docks.dismissTitle', { name: transfer.displayName })}
      intro={t('docks.dismissIntro')}
      submitLabel={t('docks.dismiss')}
      mutation={dismiss}
      onSubmit={() => {
        setTried(true);
        if (reason.trim()) dismiss.mutate();
      }}
      onClose={onClose}
    >
      <Field
        label={t('docks.takeReason')}
        value={reason}
        onChange={setReason}
        maxLength={500}
        error={isTried && !reason.trim() ? t('uploads.reasonMissing') : undefined}
      />
    </FormDialog>
  );
}

export function ConfirmDialog({ transfer, onClose }: DialogProps) {
  const words = useWords();
  const { t, format } = words;
  const { user } = useSession();
  const { blocks, badBlocks, sha256, isAnalysed, sizeBytes } = transfer;
  const subjectName = useSubjectName(transfer);
  const confirm = useEquipmentMutation(
    () => client.call('confirmTransfer', { params: { accountId: user.accountId, transferId: transfer.id } }),
    onClose,
  );
  const facts = [
    ['subject', subjectName],
    ['period', periodOf(transfer, words)],
    ['size', format.bytes(sizeBytes)],
    [
      'blocks',
      blocks === undefined
        ? undefined
        : t('docks.blocks', { all: format.number(blocks), bad: format.number(badBlocks ?? 0) }),
    ],
    ['analysis', isAnalysed ? t('docks.analysed') : t('docks.notAnalysed')],
    ['sha256', sha256],
  ] as const;
  return (
    <FormDialog
      title={t('docks.confirmTitle', { name: transfer.displayName })}
      intro={t('docks.confirmIntro')}
      submitLabel={t('docks.confirm')}
      mutation={confirm}
      onSubmit={() => confirm.mutate()}
      onClose={onClose}
    >
      <dl className={styles.facts}>
        {facts.map(
          ([id, text]) =>
            text !== undefined && (
              <div key={id}>
                <dt>{t(`docks.confirmFacts.${id}`)}</dt>
                <dd>{text}</dd>
              </div>
            ),
        )}
      </dl>
      <p>{t('docks.confirmClear')}</p>
    </FormDialog>
  );
}
