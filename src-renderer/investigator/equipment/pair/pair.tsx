/** Pairing of a hub or phone, from the code to the hand-out. The page follows the state of the pairing over `/live`. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { StartedPairing } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { networkQuery, pairingQuery } from '../../../shared/api/equipment-queries.ts';
import { ApiError, subjectQuery } from '../../../shared/api/queries.ts';
import { useDiagnosticText } from '../../../shared/i18n/diagnostic-text.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Icon } from '../../../shared/kit/icon.tsx';
import { Page } from '../../../shared/kit/page.tsx';
import { Empty, ErrorNotice, Notice, ReadError, SkeletonRows } from '../../../shared/kit/state.tsx';
import { useMayManage } from '../frame.tsx';
import { Attempts } from './attempts.tsx';
import { Compare, Complete, Confirmed, Ended } from './confirm-pairing.tsx';
import { Offer } from './offer.tsx';

/** Cancels an offer that nobody waits for any more. The site ignores it once a device has called. */
function cancelOffer(pairingId: string): void {
  client.call('cancelPairing', { params: { pairingId } }).catch(() => undefined);
}

function PairingFlow() {
  const search = useSearch({ from: '/desk/equipment/pair' });
  const navigate = useNavigate();
  const [started, setStarted] = useState<StartedPairing>();
  const openOffer = useRef<string>(undefined);
  const currentPairing = pairingQuery(search.pairing ?? '');
  const pairing = useQuery({ ...currentPairing, enabled: search.pairing !== undefined });
  const state = pairing.data?.state;
  openOffer.current = started && (state === undefined || state === 'OFFERED') ? started.id : undefined;

  const start = useMutation({
    mutationFn: () => {
      const { studyId, subjectId } = search;
      return client.call('startPairing', { body: studyId && subjectId ? { studyId, subjectId } : {} });
    },
    onSuccess: (next) => {
      if (openOffer.current) cancelOffer(openOffer.current);
      setStarted(next);
      void navigate({ to: '/equipment/pair', search: { ...search, pairing: next.id }, replace: true });
    },
  });
  const hasStarted = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page opens
  useEffect(() => {
    if (search.pairing || hasStarted.current) return;
    hasStarted.current = true;
    start.mutate();
  }, []);
  useEffect(
    () => () => {
      if (openOffer.current) cancelOffer(openOffer.current);
    },
    [],
  );

  const newCode = () => start.mutate();
  const cancel = () => {
    if (search.pairing) cancelOffer(search.pairing);
    openOffer.current = undefined;
    setStarted(undefined);
    if (search.studyId && search.subjectId) {
      const params = { studyId: search.studyId, subjectId: search.subjectId };
      void navigate({ to: '/studies/$studyId/subjects/$subjectId/equipment', params });
    } else void navigate({ to: '/equipment/devices' });
  };
  const data = pairing.data;
  const isMissing = pairing.error instanceof ApiError && pairing.error.status === 404;
  if (start.error) return <ErrorNotice error={start.error} onRetry={newCode} />;
  if (isMissing) return <Ended state="UNSEEN" onNewCode={newCode} isStarting={start.isPending} />;
  if (pairing.error && !data) return <ReadError error={pairing.error} onRetry={() => void pairing.refetch()} />;
  switch (data?.state) {
    case 'CALLED':
    case 'COMPARING':
      return <Compare key={data.state} pairing={data} />;
    case 'CONFIRMED':
      return <Confirmed pairing={data} onCancel={cancel} />;
    case 'COMPLETE':
      return <Complete pairing={data} onNewCode={newCode} />;
    case 'REFUSED':
    case 'CANCELLED':
    case 'EXPIRED':
      return <Ended state={data.state} onNewCode={newCode} isStarting={start.isPending} />;
    default:
      break;
  }
  if (started && started.id === search.pairing) {
    return (
      <Offer
        key={started.id}
        started={started}
        pairing={data}
        onNewCode={newCode}
        onCancel={cancel}
        isStarting={start.isPending}
      />
    );
  }
  // The page was reloaded: the site shows a code only once and does not store it.
  if (data?.state === 'LOCKED') return <Ended state="LOCKED" onNewCode={newCode} isStarting={start.isPending} />;
  if (data?.state === 'OFFERED') return <Ended state="UNSEEN" onNewCode={newCode} isStarting={start.isPending} />;
  return <SkeletonRows />;
}

export function Pair() {
  const { t } = useWords();
  const diagnosticText = useDiagnosticText();
  const mayManage = useMayManage();
  const { studyId, subjectId, pairing } = useSearch({ from: '/desk/equipment/pair' });
  const network = useQuery(networkQuery());
  const pairedSubject = subjectQuery(studyId ?? '', subjectId ?? '');
  const subject = useQuery({ ...pairedSubject, enabled: studyId !== undefined && subjectId !== undefined });
  const back =
    studyId && subjectId ? (
      <Link to="/studies/$studyId/subjects/$subjectId/equipment" params={{ studyId, subjectId }}>
        <Icon name="left" size={15} />
        {subject.data?.displayName ?? t('equipment.subject')}
      </Link>
    ) : (
      <Link to="/equipment/devices">
        <Icon name="left" size={15} />
        {t('equipment.devices')}
      </Link>
    );
  return (
    <Page
      back={back}
      title={t('pairing.title')}
      summary={subject.data ? t('pairing.forSubject', { name: subject.data.displayName }) : t('pairing.summary')}
    >
      {!mayManage ? (
        <Empty icon="info" title={t('pairing.notAllowed')} help={t('errors.FORBIDDEN')} />
      ) : network.data && network.data.state !== 'listening' ? (
        <Notice tone="bad">
          <p>
            {t(
              network.data.state === 'failed'
                ? 'pairing.networkFailed'
                : network.data.isAllowed
                  ? 'pairing.networkSwitchedOff'
                  : 'pairing.networkOff',
            )}
          </p>
          {network.data.problem && <small>{diagnosticText(network.data.problem)}</small>}
        </Notice>
      ) : network.data ? (
        <>
          {pairing !== undefined && <Attempts pairingId={pairing} />}
          <PairingFlow />
        </>
      ) : network.error ? (
        <ReadError error={network.error} onRetry={() => void network.refetch()} />
      ) : (
        <SkeletonRows />
      )}
    </Page>
  );
}
