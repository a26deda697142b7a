/**
 * The signatures of a printed record: printed name, date and time with the zone, and meaning of each (21 CFR 11.50), and whether the
 * record is still what was signed. A record without signatures prints nothing of them.
 */
import type { Signature } from '../../../../src-server/api/contract/index.ts';
import type { Format } from '../../../shared/i18n/format.ts';
import type { Translate } from '../../../shared/i18n/i18n.ts';
import { localDate, preciseClock } from '../../../shared/time/local-day.ts';
import type { Content } from '../contents.tsx';

/** To the second, with the offset from UTC at that moment. */
export function signedMoment(ms: number, timeZone: string): string {
  const { clock, offset } = preciseClock(ms, timeZone);
  return `${localDate(ms, timeZone)} ${clock.slice(0, 8)} (UTC${offset})`;
}

export function signatureStateText({ kind, state }: Pick<Signature, 'kind' | 'state'>, t: Translate): string {
  return kind === 'study-lock' && state !== 'current' ? t('signatures.unlockedSince') : t(`signatures.state.${state}`);
}

export function signaturesTable(
  signatures: readonly Signature[],
  timeZone: string,
  t: Translate,
  format: Format,
): Content[] {
  if (signatures.length === 0) return [];
  const recordOf = ({ kind, date }: Signature) =>
    date === undefined
      ? t(`signatures.kinds.${kind}`)
      : t('table.pair', { name: t(`signatures.kinds.${kind}`), value: format.date(date) });
  return [
    {
      id: 'signatures',
      table: {
        caption: t('paper.signatures.title'),
        columns: [
          { id: 'name', label: t('signatures.signer'), share: 6 },
          { id: 'time', label: t('signatures.signed'), share: 7 },
          { id: 'meaning', label: t('signatures.meaning'), share: 4 },
          { id: 'record', label: t('signatures.record'), share: 6 },
          { id: 'state', label: t('signatures.recordState'), share: 5 },
          { id: 'comment', label: t('signatures.commentTitle'), share: 7 },
          { id: 'hash', label: t('signatures.content'), share: 9 },
        ],
        rows: signatures.map((signature) => ({
          id: signature.id,
          cells: [
            signature.signerRole === undefined
              ? signature.signerName
              : t('paper.signatures.signer', {
                  name: signature.signerName,
                  role: t(`roles.${signature.signerRole}`),
                }),
            signedMoment(signature.signedTs, timeZone),
            t(`signatures.meanings.${signature.meaning}`),
            recordOf(signature),
            signatureStateText(signature, t),
            signature.comment ?? t('signatures.noComment'),
            signature.contentSha256,
          ],
        })),
      },
    },
  ];
}
