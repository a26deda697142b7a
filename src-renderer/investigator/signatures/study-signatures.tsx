/** All signatures of a study, with what has become of each record, and those of its definition. */
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Signature } from '../../../src-server/api/contract/index.ts';
import { useLongList } from '../../shared/api/long-list.ts';
import { studyQuery, subjectsQuery } from '../../shared/api/queries.ts';
import { signaturePagesQuery } from '../../shared/api/signature-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { type Column, DataTable, Faint } from '../../shared/kit/data-table.tsx';
import { Empty, QueryView } from '../../shared/kit/state.tsx';
import { SignatureState } from './signature-state.tsx';
import styles from './signatures.module.css';
import { SignedBy } from './signed-by.tsx';

/** What was signed, linked where it has a page. */
function Signed({ signature, subjects }: { signature: Signature; subjects: ReadonlyMap<string, string> }) {
  const { t, format } = useWords();
  const { studyId, kind, targetId, subjectId, date } = signature;
  const subject = subjectId === undefined ? undefined : (subjects.get(subjectId) ?? t('signatures.unknownSubject'));
  const label = t(`signatures.kinds.${kind}`);
  if (subjectId !== undefined && kind === 'subject-day') {
    return (
      <Link to="/studies/$studyId/subjects/$subjectId/days" params={{ studyId, subjectId }} search={{ date }}>
        {t('signatures.ofDay', { subject, date: format.date(date ?? '') })}
      </Link>
    );
  }
  if (subjectId !== undefined && kind === 'recording') {
    const params = { studyId, subjectId, recordingId: targetId };
    return (
      <Link to="/studies/$studyId/subjects/$subjectId/recordings/$recordingId" params={params}>
        {t('signatures.ofSubject', { kind: label, subject })}
      </Link>
    );
  }
  if (kind === 'export') return <Link to="/exports">{label}</Link>;
  if (kind === 'study-definition') {
    return (
      <Link to="/studies/$studyId/definition" params={{ studyId }}>
        {label}
      </Link>
    );
  }
  return label;
}

function useColumns(subjects: ReadonlyMap<string, string>): Column<Signature>[] {
  const { t, format } = useWords();
  return useMemo(
    () => [
      {
        id: 'signed',
        header: t('signatures.signed'),
        value: ({ signedTs }) => signedTs,
        cell: ({ signedTs }) => format.dateTime(signedTs),
      },
      {
        id: 'signer',
        header: t('signatures.signer'),
        value: ({ signerName }) => signerName,
        cell: ({ signerName }) => signerName,
      },
      {
        id: 'meaning',
        header: t('signatures.meaning'),
        value: ({ meaning }) => t(`signatures.meanings.${meaning}`),
        cell: ({ meaning }) => t(`signatures.meanings.${meaning}`),
      },
      {
        id: 'record',
        header: t('signatures.record'),
        cell: (signature) => (
          <span className={styles.record}>
            <Signed signature={signature} subjects={subjects} />
          </span>
        ),
      },
      {
        id: 'state',
        header: t('signatures.recordState'),
        value: ({ state }) => state,
        cell: (signature) => <SignatureState signature={signature} />,
      },
      {
        id: 'comment',
        header: t('signatures.commentTitle'),
        cell: ({ comment }) =>
          comment === undefined ? (
            <Faint>{t('signatures.noComment')}</Faint>
          ) : (
            <span className={styles.comment}>{comment}</span>
          ),
      },
      {
        id: 'hash',
        isSecondary: true,
        header: t('signatures.content'),
        cell: ({ contentSha256 }) => <code title={contentSha256}>{contentSha256.slice(0, 12)}…</code>,
      },
    ],
    [t, format, subjects],
  );
}

export function StudySignatures() {
  const { t } = useWords();
  const { studyId } = useParams({ from: '/desk/studies/$studyId/signatures' });
  const study = useQuery(studyQuery(studyId));
  const signatures = useLongList(signaturePagesQuery(studyId));
  const people = useQuery(subjectsQuery(studyId)).data?.items;
  const subjects = useMemo(() => new Map(people?.map(({ id, displayName }) => [id, displayName])), [people]);
  const columns = useColumns(subjects);
  return (
    <div className={styles.page}>
      <p className={styles.help}>{t('signatures.help')}</p>
      <SignedBy
        studyId={studyId}
        target={{ kind: 'study-definition', targetId: studyId }}
        title={t('signatures.kinds.study-definition')}
        name={t('signatures.definitionOf', { name: study.data?.displayName ?? '' })}
      />
      <QueryView query={signatures.query}>
        {(items) =>
          items.length === 0 ? (
            <Empty icon="pencil" title={t('signatures.emptyTitle')} help={t('signatures.emptyHelp')} />
          ) : (
            <DataTable
              caption={t('signatures.all')}
              rows={signatures.items}
              list={signatures}
              columns={columns}
              rowId={({ id }) => id}
              initialSort={{ id: 'signed', desc: true }}
            />
          )
        }
      </QueryView>
    </div>
  );
}
