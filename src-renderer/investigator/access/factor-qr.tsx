/** The secret of a new second factor, as a QR code for the authenticator app and as text. */
import { useQuery } from '@tanstack/react-query';
import type { SecondFactorSetup } from '../../../src-server/api/contract/index.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { SecretText } from '../../shared/kit/forms.tsx';
import { QrPicture } from '../../shared/kit/qr-picture.tsx';
import styles from './access.module.css';

export function FactorQr({ setup }: { setup: SecondFactorSetup }) {
  const { t } = useWords();
  // Drawn here, so that the secret goes nowhere else; the library loads on first use.
  const svg = useQuery({
    queryKey: ['factorQr', setup.link],
    queryFn: async () => {
      const { toString: draw } = await import('qrcode');
      return await draw(setup.link, { type: 'svg', margin: 2, errorCorrectionLevel: 'M' });
    },
    gcTime: 0,
  }).data;
  return (
    <div className={styles.stack}>
      <QrPicture label={t('secondFactor.qr')} svg={svg} isSmall />
      <p>{t('secondFactor.secret')}</p>
      <SecretText label={t('secondFactor.secret')} text={setup.secret.replace(/(.{4})(?!$)/g, '$1 ')} />
    </div>
  );
}
