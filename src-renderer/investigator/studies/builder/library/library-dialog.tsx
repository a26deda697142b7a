/** Adds a questionnaire of the library as a survey, with its licence and scoring in view before it is added. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Questionnaire } from '../../../../../src-server/api/contract/index.ts';
import { questionnairesQuery } from '../../../../shared/api/questionnaire-queries.ts';
import { useWords } from '../../../../shared/i18n/i18n.ts';
import { FormDialog } from '../../../../shared/kit/form-dialog.tsx';
import { Select } from '../../../../shared/kit/forms.tsx';
import { Notice, QueryView } from '../../../../shared/kit/state.tsx';
import styles from '../builder.module.css';
import { QuestionnaireFacts } from './questionnaire-facts.tsx';

function Form({
  library,
  onAdd,
  onClose,
}: {
  library: readonly Questionnaire[];
  onAdd: (questionnaire: Questionnaire) => void;
  onClose: () => void;
}) {
  const { t, language } = useWords();
  const own = library.find((one) => one.language === language) ?? library[0];
  const [id, setId] = useState(own?.id ?? '');
  const chosen = library.find((one) => one.id === id);
  return (
    <FormDialog
      title={t('builder.library.title')}
      intro={t('builder.library.intro')}
      submitLabel={t('builder.library.add')}
      onClose={onClose}
      onSubmit={() => {
        if (chosen) onAdd(chosen);
        onClose();
      }}
    >
      <Select
        label={t('builder.library.questionnaire')}
        value={id}
        options={library.map((one) => ({
          id: one.id,
          label: t('builder.library.option', {
            name: one.name,
            language: t(`builder.library.languages.${one.language}`),
            about: one.about,
          }),
        }))}
        onChange={setId}
      />
      {chosen && (
        <>
          {chosen.language !== language && <Notice tone="info">{t('builder.library.otherLanguage')}</Notice>}
          <QuestionnaireFacts questionnaire={chosen} />
          <details className={styles.details}>
            <summary>{t('builder.questions', { count: chosen.questions.length })}</summary>
            <ol className={styles.libraryItems} lang={chosen.language}>
              {chosen.questions.map(({ text }) => (
                <li key={text}>{text.split('\n').at(-1)}</li>
              ))}
            </ol>
          </details>
        </>
      )}
    </FormDialog>
  );
}

export function LibraryDialog(props: { onAdd: (questionnaire: Questionnaire) => void; onClose: () => void }) {
  const library = useQuery(questionnairesQuery());
  return (
    <QueryView query={library} skeleton={null}>
      {(data) => <Form library={data} {...props} />}
    </QueryView>
  );
}
