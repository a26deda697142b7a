/** Confirms a lifecycle step of a study: lists its effects, gaps and open items before it is taken. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { StudyDetail } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Field } from '../../../shared/kit/controls.tsx';
import { FormDialog, useCheckedSubmit } from '../../../shared/kit/form-dialog.tsx';
import { Notice } from '../../../shared/kit/state.tsx';
import styles from '../studies.module.css';
import { useOpenItems } from './open-items.ts';
import { gapsOf, type Step } from './steps.ts';

function take(step: Step, studyId: string, reason: string): Promise<unknown> {
  const params = { studyId };
  if (step === 'reopen') return client.call('reopenStudy', { params, body: { reason } });
  return client.call(`${step}Study`, { params });
}

export function StepDialog({ study, step, onClose }: { study: StudyDetail; step: Step; onClose: () => void }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const [reason, setReason] = useState('');
  const needsReason = step === 'reopen';
  const save = useMutation({
    mutationFn: () => take(step, study.id, reason.trim()),
    onSuccess: async () => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: ['study'] }),
        queries.invalidateQueries({ queryKey: ['subject', study.id] }),
      ]);
      onClose();
    },
  });
  const isValid = !needsReason || reason.trim() !== '';
  const { wasTried, onSubmit } = useCheckedSubmit(isValid, () => save.mutate());
  const people = study.subjects.filter((subject) => !subject.isTest).length;
  const effects = t(`lifecycle.${step}.effects`, { returnObjects: true, count: people, days: study.program.days });
  const gaps = step === 'start' ? gapsOf(study) : [];
  const open = useOpenItems(study.id, step);
  return (
    <FormDialog
      title={t(`lifecycle.${step}.title`, { name: study.displayName })}
      intro={t('lifecycle.effectsTitle')}
      submitLabel={t(`lifecycle.${step}.action`)}
      mutation={save}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      <ul className={styles.effects}>
        {Object.values(effects).map((effect) => (
          <li key={effect}>{effect}</li>
        ))}
      </ul>
      {gaps.map((gap) => (
        <Notice key={gap} tone="warn">
          {t(`lifecycle.missing.${gap}`)}
        </Notice>
      ))}
      {open.map(({ item, count }) => (
        <Notice key={item} tone={item === 'unsent' ? 'warn' : 'info'}>
          {t(`lifecycle.pending.${item}`, { count })}
        </Notice>
      ))}
      {needsReason && (
        <Field
          label={t('lifecycle.reason')}
          help={t('lifecycle.reasonHelp')}
          autoFocus
          isRequired
          value={reason}
          onChange={setReason}
          error={wasTried && !isValid ? t('lifecycle.reasonMissing') : undefined}
        />
      )}
    </FormDialog>
  );
}
