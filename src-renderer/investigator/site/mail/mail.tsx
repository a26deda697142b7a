/** The mail server of the site and its outbox. */
import { useQuery } from '@tanstack/react-query';
import { settingsQuery } from '../../../shared/api/site-queries.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { ReadError } from '../../../shared/kit/state.tsx';
import styles from '../site.module.css';
import { SitePage } from '../site-page.tsx';
import { Outbox } from './outbox.tsx';
import { MailServer } from './server.tsx';
import { TestMail } from './test-mail.tsx';

function Content() {
  const settings = useQuery(settingsQuery());
  return (
    <>
      {settings.error && <ReadError error={settings.error} onRetry={() => void settings.refetch()} />}
      {settings.data && (
        <div className={styles.cards}>
          <MailServer key={JSON.stringify(settings.data.mail ?? null)} stored={settings.data.mail} />
          <TestMail isSet={settings.data.mail !== undefined} />
        </div>
      )}
      <Outbox />
    </>
  );
}

export function Mail() {
  const { t } = useWords();
  return (
    <SitePage title={t('site.mail')} summary={t('mail.summary')} isForAdministrators>
      <Content />
    </SitePage>
  );
}
