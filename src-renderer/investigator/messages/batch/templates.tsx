/** The templates of a study: take one, save the present text as one, or delete one. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MessageTemplate } from '../../../../src-server/api/contract/index.ts';
import { type MessageLanguage, unknownPlaceholders } from '../../../../src-server/vocabulary/message-placeholders.ts';
import { client } from '../../../shared/api/client.ts';
import { messageTemplatesQuery } from '../../../shared/api/message-queries.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Field } from '../../../shared/kit/controls.tsx';
import { FormProblem } from '../../../shared/kit/form-dialog.tsx';
import { Select } from '../../../shared/kit/forms.tsx';
import { Notice } from '../../../shared/kit/state.tsx';
import styles from './batch.module.css';

const NONE = 'none';

export function Templates({
  studyId,
  language,
  body,
  onUse,
}: {
  studyId: string;
  language: MessageLanguage;
  body: string;
  onUse: (text: string) => void;
}) {
  const { t } = useWords();
  const queries = useQueryClient();
  const templates = useQuery(messageTemplatesQuery(studyId));
  const [chosenId, setChosenId] = useState(NONE);
  const [name, setName] = useState('');
  const items = templates.data?.items ?? [];
  const chosen = items.find(({ id }) => id === chosenId);
  const refresh = () => queries.invalidateQueries({ queryKey: messageTemplatesQuery(studyId).queryKey });
  const save = useMutation({
    // One text for each language: the other one of a template of this name stays.
    mutationFn: async (id: string) => {
      const known = items.find((one) => one.id === id);
      const texts = { ...known?.texts, [language]: body.trim() };
      const displayName = known?.displayName ?? name.trim();
      await client.call('putMessageTemplate', { params: { studyId, templateId: id }, body: { displayName, texts } });
      return id;
    },
    onSuccess: async (id) => {
      await refresh();
      setChosenId(id);
      setName('');
    },
  });
  const remove = useMutation({
    mutationFn: (templateId: string) => client.call('deleteMessageTemplate', { params: { studyId, templateId } }),
    onSuccess: async () => {
      setChosenId(NONE);
      await refresh();
    },
  });
  const canSave = body.trim() !== '' && unknownPlaceholders(body).length === 0 && !save.isPending;
  const use = (id: string) => {
    setChosenId(id);
    const text = items.find((one) => one.id === id)?.texts[language];
    if (text !== undefined) onUse(text);
  };
  const labelOf = ({ displayName, texts }: MessageTemplate) =>
    texts[language] === undefined ? t('messages.batch.otherLanguage', { name: displayName }) : displayName;
  return (
    <details className={styles.templates}>
      <summary>{t('messages.batch.templates', { count: items.length })}</summary>
      <Select
        label={t('messages.batch.template')}
        value={chosen?.id ?? NONE}
        options={[
          { id: NONE, label: t('messages.batch.noTemplate') },
          ...items.map((one) => ({ id: one.id, label: labelOf(one) })),
        ]}
        onChange={use}
      />
      {chosen && chosen.texts[language] === undefined && (
        <Notice tone="info">{t('messages.batch.noTextInLanguage')}</Notice>
      )}
      {chosen && (
        <div className={styles.row}>
          <Button
            small
            isDisabled={!canSave || chosen.texts[language] === body.trim()}
            onPress={() => save.mutate(chosen.id)}
          >
            {t('messages.batch.replaceTemplate', { name: chosen.displayName })}
          </Button>
          <Button
            small
            kind="quiet"
            icon="trash"
            isDisabled={remove.isPending}
            onPress={() => remove.mutate(chosen.id)}
          >
            {t('messages.batch.deleteTemplate', { name: chosen.displayName })}
          </Button>
        </div>
      )}
      <div className={styles.row}>
        <Field label={t('messages.batch.templateName')} value={name} onChange={setName} />
        <Button small isDisabled={!canSave || name.trim() === ''} onPress={() => save.mutate(crypto.randomUUID())}>
          {t('messages.batch.saveTemplate')}
        </Button>
      </div>
      <FormProblem error={save.error ?? remove.error} />
    </details>
  );
}
