/** A sign-in link was opened while somebody is signed in: one person's data at a time. Nothing is changed here. */
import { Button, ButtonLink } from '../../kit/button.tsx';
import { Page } from '../../kit/page.tsx';
import { navigate } from '../../kit/route.ts';
import { usePhone } from '../../kit/use-phone.ts';
import { useWords } from '../../words/words.ts';
import styles from './start.module.css';

export function AlreadyScreen() {
  const { t } = useWords();
  const { subjectName } = usePhone();
  return (
    <Page
      title={t('signIn.againTitle')}
      screen="already"
      actions={
        <>
          <Button look="primary" onClick={() => navigate('/today', { replaces: true })}>
            {t('signIn.againContinue')}
          </Button>
          <ButtonLink look="quiet" icon="signOut" to="/leave">
            {t('leave.signOut')}
          </ButtonLink>
        </>
      }
    >
      {subjectName !== undefined && <p className={styles.big}>{t('signIn.againAs', { subject: subjectName })}</p>}
      <p>{t('signIn.againOther')}</p>
    </Page>
  );
}
