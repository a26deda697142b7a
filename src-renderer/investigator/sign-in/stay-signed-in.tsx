/** The choice to stay signed in on this computer, or why it is not offered. */
import { useEffect, useState } from 'react';
import { desktopProgram, type StayOffer } from '../../shared/desktop.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Checkbox } from '../../shared/kit/forms.tsx';
import styles from './entrance.module.css';

export default function StaySignedIn({
  isSelected,
  onChange,
}: {
  isSelected: boolean;
  onChange: (isSelected: boolean) => void;
}) {
  const { t } = useWords();
  const [offer, setOffer] = useState<StayOffer | null>(null);
  useEffect(() => {
    desktopProgram()
      ?.stayOffer()
      .then(setOffer)
      // Only a page that is about to be replaced is refused.
      .catch(() => undefined);
  }, []);
  if (!offer) return null;
  if (!offer.isOffered)
    return <p className={styles.hint}>{t(offer.reason === 'no-keyring' ? 'stay.noKeyring' : 'stay.unavailable')}</p>;
  return (
    <Checkbox
      label={t('stay.label', { count: offer.days })}
      help={t('stay.help')}
      isSelected={isSelected}
      onChange={onChange}
    />
  );
}
