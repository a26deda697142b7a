/** Calls that were refused while the pairing code is shown, each with its reason and the next step. */
import { useQuery } from '@tanstack/react-query';
import type { Pairing, Refusal } from '../../../../src-server/api/contract/index.ts';
import { pairingQuery, refusalsQuery } from '../../../shared/api/equipment-queries.ts';
import { useSession } from '../../../shared/api/session.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Notice } from '../../../shared/kit/state.tsx';
import { useRefusalReason } from '../refusals.tsx';

/** Polled, because `/live` does not announce a repeated refusal. */
const POLL_INTERVAL_MS = 3000;

/** The page already shows these, in more detail. */
const isShownElsewhere = ({ code, pairingId }: Refusal, pairing: Pairing) =>
  (code === 'PAIRING_CODE_WRONG' && pairing.wrongTries > 0) ||
  (pairingId === pairing.id && (code === pairing.problem || pairing.state === 'REFUSED'));

export function Attempts({ pairingId }: { pairingId: string }) {
  const { t } = useWords();
  const { user } = useSession();
  const reasonOf = useRefusalReason();
  const pairing = useQuery(pairingQuery(pairingId)).data;
  const isOver = pairing?.state === 'COMPLETE';
  const { data } = useQuery({ ...refusalsQuery(user.accountId), refetchInterval: POLL_INTERVAL_MS, enabled: !isOver });
  if (!pairing || isOver || !data) return null;
  const shown = data.items.filter(
    (refusal) =>
      refusal.kind === 'PAIRING' && refusal.lastTs >= pairing.createdTs && !isShownElsewhere(refusal, pairing),
  );
  return shown.map((refusal) => (
    <Notice key={`${refusal.code} ${refusal.serial} ${refusal.address}`} tone="warn">
      <strong>
        {t('pairing.rejected', { who: refusal.serial ?? refusal.address ?? t('refusals.manyAddresses') })}
      </strong>{' '}
      {reasonOf(refusal)}
    </Notice>
  ));
}
