/** Everything of the subject was removed from this phone: why, what is lost, what to do. */
import { Button } from '../../kit/button.tsx';
import { Emblem } from '../../kit/emblem.tsx';
import { Notice } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { usePhone } from '../../kit/use-phone.ts';
import { useWords } from '../../words/words.ts';

export function WipedScreen({ onContinue }: { onContinue: () => void }) {
  const { t } = useWords();
  const { wipedBecause = 'SIGNED_OUT', wipedUnsent = 0, signOutWaits, connection } = usePhone();
  return (
    <Page
      title={t(`wiped.title.${wipedBecause}`)}
      screen="wiped"
      actions={
        <Button look="primary" onClick={onContinue}>
          {t('wiped.continue')}
        </Button>
      }
    >
      <Emblem icon="signOut" />
      <p>{t(`wiped.text.${wipedBecause}`)}</p>
      {signOutWaits && connection.state !== 'SENDING' && <Notice tone="warn">{t('wiped.signOutWaits')}</Notice>}
      {wipedUnsent > 0 && <Notice tone="warn">{t('wiped.unsent', { count: wipedUnsent })}</Notice>}
    </Page>
  );
}
