/**
 * A message to many subjects of a study: the text is written or taken from a template, previewed for each subject by the site, and sent once. The
 * outcome of every subject shows afterwards.
 */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { ListedSubject, Study } from '../../../../src-server/api/contract/index.ts';
import {
  LONGEST_MESSAGE,
  type MessageLanguage,
  MOST_RECIPIENTS,
  PLACEHOLDERS,
  unknownPlaceholders,
} from '../../../../src-server/vocabulary/message-placeholders.ts';
import { client } from '../../../shared/api/client.ts';
import { subjectSummariesQuery } from '../../../shared/api/list-queries.ts';
import { useSession } from '../../../shared/api/session.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Field, Segments } from '../../../shared/kit/controls.tsx';
import { FormDialog, FormProblem, InfoDialog, useFieldErrors } from '../../../shared/kit/form-dialog.tsx';
import { Checkbox, FieldGroup, Select, TextAreaField } from '../../../shared/kit/forms.tsx';
import { Notice } from '../../../shared/kit/state.tsx';
import { useStore } from '../../../shared/store.ts';
import {
  beginRun,
  dropUnanswered,
  isUnderWay,
  rowsUnderWay,
  unansweredChanges,
  unansweredOf,
} from '../../bulk/unanswered.ts';
import styles from './batch.module.css';
import { RECIPIENT_FILTERS, type RecipientFilter, recipientsOf } from './recipients.ts';
import { batchesOf, isSentItem, MESSAGES, requestIdsOf, type SentItem, sendOne } from './repeated.ts';
import { Templates } from './templates.tsx';

const LANGUAGES = ['en', 'ja'] as const;

type Sent = (subjectIds: readonly string[]) => void;

/** What each subject gets or got. */
function Outcomes({ items, names }: { items: readonly SentItem[]; names: ReadonlyMap<string, string> }) {
  const { t } = useWords();
  return (
    <ul className={styles.outcomes} aria-label={t('messages.batch.perSubject')}>
      {items.map(({ subjectId, outcome, body }) => (
        <li key={subjectId}>
          <strong>{names.get(subjectId) ?? '—'}</strong>
          {outcome === 'SENT' ? (
            <p>{body}</p>
          ) : (
            <p className={styles.refused}>{t(`messages.batch.outcome.${outcome}`)}</p>
          )}
        </li>
      ))}
    </ul>
  );
}

function Recipients({
  subjects,
  chosen,
  onChange,
}: {
  subjects: readonly ListedSubject[];
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
}) {
  const { t } = useWords();
  const [filter, setFilter] = useState<RecipientFilter>('everyone');
  const [search, setSearch] = useState('');
  const shown = recipientsOf(subjects, filter, search, Date.now());
  const areAllChosen = shown.length > 0 && shown.every(({ id }) => chosen.has(id));
  const put = (ids: readonly string[], isChosen: boolean) => {
    const next = new Set(chosen);
    for (const id of ids) {
      if (isChosen) next.add(id);
      else next.delete(id);
    }
    onChange(next);
  };
  return (
    <FieldGroup label={t('messages.batch.recipients', { count: subjects.filter(({ id }) => chosen.has(id)).length })}>
      <div className={styles.filters}>
        <Select
          label={t('messages.batch.filter')}
          value={filter}
          options={RECIPIENT_FILTERS.map((id) => ({ id, label: t(`messages.batch.filters.${id}`) }))}
          onChange={setFilter}
        />
        <Field label={t('messages.batch.search')} value={search} onChange={setSearch} />
      </div>
      {shown.length === 0 ? (
        <p>{t('messages.batch.noneShown')}</p>
      ) : (
        <>
          <Checkbox
            label={t('messages.batch.all', { count: shown.length })}
            isSelected={areAllChosen}
            onChange={(isChosen) =>
              put(
                shown.map(({ id }) => id),
                isChosen,
              )
            }
          />
          <ul className={styles.recipients}>
            {shown.map(({ id, displayName }) => (
              <li key={id}>
                <Checkbox
                  label={displayName}
                  isSelected={chosen.has(id)}
                  onChange={(isChosen) => put([id], isChosen)}
                />
              </li>
            ))}
          </ul>
        </>
      )}
    </FieldGroup>
  );
}

function Form({
  studies,
  studyId,
  subjects,
  readError,
  chosenIds,
  onSent,
  onStudy,
  onClose,
}: {
  studies: readonly Study[];
  studyId: string;
  subjects: readonly ListedSubject[];
  readError: Error | null;
  chosenIds: readonly string[];
  onSent: Sent | undefined;
  onStudy: (id: string) => void;
  onClose: () => void;
}) {
  const { t, format, language: deskLanguage } = useWords();
  const queries = useQueryClient();
  const { user } = useSession();
  const underWay = useStore(rowsUnderWay);
  useStore(unansweredChanges);
  const unanswered = unansweredOf(user.id, MESSAGES, Date.now());
  /** One batch however often its request is repeated. */
  const [id] = useState(() => crypto.randomUUID());
  const [language, setLanguage] = useState<MessageLanguage>(deskLanguage);
  const [body, setBody] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(chosenIds));
  const [wasTried, setTried] = useState(false);
  const params = { studyId };
  // In the order of the list, whatever the order of choosing.
  const subjectIds = subjects.flatMap((one) => (chosen.has(one.id) ? [one.id] : []));
  /** Batches that this dialog sent, by subject: after an error half-way, those before it are repeated, too. */
  const sentIn = useRef<Readonly<Record<string, string>>>({});
  const text = { language, body: body.trim() };
  const repeated = subjectIds.filter((one) => unanswered[one] !== undefined);
  const isSomeUnderWay = subjectIds.some((one) => isUnderWay(underWay, MESSAGES, one));
  const preview = useMutation({
    mutationFn: () => client.call('sendMessages', { params, body: { id, ...text, subjectIds, isPreview: true } }),
  });
  const send = useMutation({
    mutationFn: async () => {
      const nowMs = Date.now();
      const batches = batchesOf(subjectIds, { ...unansweredOf(user.id, MESSAGES, nowMs), ...sentIn.current }, id);
      sentIn.current = { ...sentIn.current, ...requestIdsOf(batches) };
      const kept = beginRun(user.id, MESSAGES, requestIdsOf(batches), nowMs);
      const items: SentItem[] = [];
      try {
        for (const batch of batches) {
          const sent = await sendOne(kept, batch, () =>
            client.call('sendMessages', { params, body: { ...batch, ...text } }),
          );
          items.push(...sent);
        }
      } finally {
        kept.over();
        onSent?.(items.filter(isSentItem).map(({ subjectId }) => subjectId));
      }
      return { items, sent: items.filter(({ outcome }) => outcome === 'SENT').length };
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['message'] }),
  });
  const errorOf = useFieldErrors(preview.error);
  const names = new Map(subjects.map((one) => [one.id, one.displayName]));
  const [unknown] = unknownPlaceholders(body);
  const textProblem =
    body.trim() === ''
      ? t('messages.batch.textMissing')
      : unknown !== undefined
        ? t('messages.batch.unknown', { word: `{${unknown}}` })
        : undefined;
  const isValid = textProblem === undefined && subjectIds.length > 0 && subjectIds.length <= MOST_RECIPIENTS;
  if (send.data) {
    return (
      <InfoDialog title={t('messages.batch.sentTitle', { count: send.data.sent })} onClose={onClose}>
        <Outcomes items={send.data.items} names={names} />
      </InfoDialog>
    );
  }
  if (preview.data) {
    const { items, sent } = preview.data;
    return (
      <FormDialog
        key="preview"
        title={t('messages.batch.previewTitle', { count: sent })}
        intro={t('messages.batch.previewIntro')}
        submitLabel={t('messages.batch.send', { count: sent })}
        mutation={send}
        isDisabled={sent === 0}
        onClose={onClose}
        onSubmit={() => send.mutate()}
      >
        <div>
          <Button icon="left" isDisabled={send.isPending} onPress={() => preview.reset()}>
            {t('messages.batch.back')}
          </Button>
        </div>
        {sent === 0 && <Notice tone="warn">{t('messages.batch.nobody')}</Notice>}
        <Outcomes items={items} names={names} />
      </FormDialog>
    );
  }
  return (
    <FormDialog
      key="form"
      title={t('messages.batch.title')}
      intro={t('messages.batch.intro')}
      submitLabel={t('messages.batch.preview')}
      mutation={preview}
      isDisabled={isSomeUnderWay}
      onClose={onClose}
      onSubmit={() => {
        setTried(true);
        if (isValid) preview.mutate();
      }}
    >
      <Select
        label={t('messages.batch.study')}
        value={studyId}
        options={studies.map((one) => ({ id: one.id, label: one.displayName }))}
        onChange={(next) => {
          setChosen(new Set(chosenIds));
          onStudy(next);
        }}
      />
      <FormProblem error={readError} />
      <Recipients subjects={subjects} chosen={chosen} onChange={setChosen} />
      {isSomeUnderWay ? (
        <Notice tone="warn">{t('messages.batch.underWay')}</Notice>
      ) : (
        repeated.length > 0 && (
          <Notice
            tone="warn"
            actions={
              <Button small kind="quiet" onPress={() => dropUnanswered(user.id, MESSAGES, repeated, Date.now())}>
                {t('messages.batch.dropRepeated')}
              </Button>
            }
          >
            {t('messages.batch.repeated', { count: repeated.length })}
          </Notice>
        )
      )}
      {wasTried && subjectIds.length === 0 && <Notice tone="bad">{t('messages.batch.nobodyChosen')}</Notice>}
      {subjectIds.length > MOST_RECIPIENTS && (
        <Notice tone="bad">{t('messages.batch.tooMany', { most: format.number(MOST_RECIPIENTS) })}</Notice>
      )}
      <Segments
        label={t('messages.batch.language')}
        value={language}
        options={LANGUAGES.map((one) => ({ id: one, label: t(`messages.batch.languages.${one}`) }))}
        onChange={setLanguage}
      />
      <Templates studyId={studyId} language={language} body={body} onUse={setBody} />
      <TextAreaField
        label={t('messages.batch.text')}
        help={t('messages.batch.placeholders', { list: PLACEHOLDERS.map((one) => `{${one}}`).join(' ') })}
        rows={5}
        value={body}
        error={wasTried ? (textProblem ?? errorOf('body')) : undefined}
        onChange={(text) => setBody(text.slice(0, LONGEST_MESSAGE))}
      />
    </FormDialog>
  );
}

const NOBODY: readonly string[] = [];

/**
 * @param studies those to whose subjects the user may write
 * @param chosenIds subjects that are chosen at first, of any of the studies
 * @param onSent runs after sending, with the ids of the subjects who need no further try
 */
export function BatchDialog({
  studies,
  chosenIds = NOBODY,
  onSent,
  onClose,
}: {
  studies: readonly Study[];
  chosenIds?: readonly string[];
  onSent?: Sent;
  onClose: () => void;
}) {
  const [studyId, setStudyId] = useState(studies[0]?.id ?? '');
  const subjects = useQuery(subjectSummariesQuery(studyId, true));
  // The form stays while the subjects of another study load: it keeps the text.
  return (
    <Form
      studies={studies}
      studyId={studyId}
      subjects={subjects.data?.items ?? []}
      readError={subjects.error}
      chosenIds={chosenIds}
      onSent={onSent}
      onStudy={setStudyId}
      onClose={onClose}
    />
  );
}
