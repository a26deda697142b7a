/** Exports the definition as a file and imports one, after a confirmation that lists what it replaces. */
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { StudyDetail } from '../../../../../src-server/api/contract/index.ts';
import { client } from '../../../../shared/api/client.ts';
import { fileName, saveText } from '../../../../shared/api/download.ts';
import { ApiError } from '../../../../shared/api/queries.ts';
import { useWords } from '../../../../shared/i18n/i18n.ts';
import { Button } from '../../../../shared/kit/controls.tsx';
import { FormDialog } from '../../../../shared/kit/form-dialog.tsx';
import { errorSentence, Notice } from '../../../../shared/kit/state.tsx';
import styles from '../builder.module.css';
import type { Draft } from '../draft.ts';
import { PLACES } from '../sensors/places.ts';
import { type Replacement, replacementsOf } from './replacing.ts';

/** Thrown for a file that is not valid JSON. */
class NotJson extends Error {}

/** Why the site rejected a definition, or why a file could not be read. */
export function Problems({ error }: { error: Error }) {
  const { t, language } = useWords();
  return (
    <Notice tone="bad">
      <p>{error instanceof NotJson ? t('builder.invalidJson') : errorSentence(error, t, language)}</p>
      {error instanceof ApiError && error.errors.length > 0 && (
        <ul>
          {error.errors.slice(0, 20).map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}

function Replacements({ items }: { items: Replacement[] }) {
  const { t, format } = useWords();
  const nameOf = (part: Replacement['part'], name: string) => {
    const place = part === 'deviceConfigs' && PLACES.find(({ id }) => id === name.split(' ')[0]);
    return place ? t(`builder.places.${place.id}`) : name || t('builder.unnamed');
  };
  return (
    <ul className={styles.replaced}>
      {items.map(({ part, now, inFile, lost }) => (
        <li key={part}>
          <strong>{t(`builder.replaced.${part}`)}</strong>{' '}
          {t('builder.replacedCount', { now: format.number(now), inFile: format.number(inFile) })}
          {lost.length > 0 && (
            <small>{t('builder.removed', { names: format.list(lost.map((name) => nameOf(part, name))) })}</small>
          )}
        </li>
      ))}
    </ul>
  );
}

export function DefinitionFile({
  study,
  saved,
  isReadOnly,
  hasUnsaved,
  onProblem,
  onImported,
}: {
  study: StudyDetail;
  saved: Draft;
  isReadOnly: boolean;
  /** Whether there are unsaved changes, which an import would discard. */
  hasUnsaved: boolean;
  onProblem: (problem: Error | null) => void;
  onImported: () => Promise<void>;
}) {
  const { t } = useWords();
  const input = useRef<HTMLInputElement>(null);
  const [asked, setAsked] = useState<{ name: string; document: Draft } | null>(null);
  const importing = useMutation({
    mutationFn: (document: Draft) => client.call('importDefinition', { params: { studyId: study.id }, body: document }),
    onSuccess: onImported,
    onError: onProblem,
    onSettled: () => setAsked(null),
  });
  const read = async (file: File) => {
    onProblem(null);
    try {
      const document: Draft = JSON.parse(await file.text());
      if (hasUnsaved || replacementsOf(saved, document).length > 0) setAsked({ name: file.name, document });
      else importing.mutate(document);
    } catch (thrown) {
      if (!(thrown instanceof SyntaxError)) throw thrown;
      onProblem(new NotJson());
    }
  };
  return (
    <span className={styles.files}>
      {!isReadOnly && (
        <Button icon="upload" isDisabled={importing.isPending} onPress={() => input.current?.click()}>
          {t('builder.importFile')}
        </Button>
      )}
      <Button
        icon="download"
        onPress={() =>
          saveText(
            JSON.stringify(saved, undefined, 2),
            fileName(study.displayName, 'definition.json'),
            'application/json',
          )
        }
      >
        {t('builder.exportFile')}
      </Button>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        hidden
        aria-label={t('builder.importFile')}
        onChange={({ target }) => {
          const file = target.files?.[0];
          target.value = '';
          if (file) void read(file);
        }}
      />
      {asked && (
        <FormDialog
          title={t('builder.replaceTitle')}
          intro={t('builder.replaceHelp', { file: asked.name })}
          submitLabel={t('builder.replace')}
          mutation={{ isPending: importing.isPending, error: null }}
          onClose={() => setAsked(null)}
          onSubmit={() => importing.mutate(asked.document)}
        >
          {hasUnsaved && <Notice tone="warn">{t('builder.replaceUnsaved')}</Notice>}
          <Replacements items={replacementsOf(saved, asked.document)} />
        </FormDialog>
      )}
    </span>
  );
}
