/** Sign-in by the link of the QR code, or by the typed code. */
import { type FormEvent, useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { Failure, Notice } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { navigate } from '../../kit/route.ts';
import { TrustLink } from '../../kit/trust-link.tsx';
import { useAction } from '../../kit/use-action.ts';
import { useActions, usePhone } from '../../kit/use-phone.ts';
import { useWords } from '../../words/words.ts';
import { groupedToken, isWholeToken, type SignInLink } from './sign-in-link.ts';
import styles from './start.module.css';

export function LinkScreen({ link, onOther }: { link: SignInLink; onOther: () => void }) {
  const { t } = useWords();
  const actions = useActions();
  const { reach } = usePhone();
  const { run, isBusy, failure } = useAction();
  const isExpired = link.expiresTs !== undefined && link.expiresTs < Date.now();
  const signIn = async () => {
    const before = location.hash.slice(1);
    // Once signed in, the page shows the screen of its address: a link there would be one that was opened too late.
    navigate('/confirm', { replaces: true });
    if (!(await run(() => actions.signIn({ link: link.text })))) navigate(before, { replaces: true });
  };
  return (
    <Page
      title={t('signIn.linkTitle')}
      actions={
        <>
          <Button look="primary" aria-disabled={isBusy} onClick={signIn}>
            {t(isBusy ? 'signIn.busy' : 'signIn.signIn')}
          </Button>
          <Button look="quiet" onClick={onOther}>
            {t('signIn.other')}
          </Button>
        </>
      }
    >
      <p className={styles.big}>
        {link.siteName ? t('signIn.linkText', { site: link.siteName }) : t('signIn.linkTextNoSite')}
      </p>
      {/* The clock of this phone may be wrong: the site decides. */}
      {isExpired && <Notice tone="warn">{t('signIn.maybeExpired')}</Notice>}
      {!reach.isSecure && <Notice action={<TrustLink />}>{t('reach.notSecure')}</Notice>}
      <Failure text={failure} />
    </Page>
  );
}

export function TokenScreen() {
  const { t } = useWords();
  const actions = useActions();
  const { run, isBusy, failure } = useAction();
  const [token, setToken] = useState('');
  const [isShort, setShort] = useState(false);
  const signIn = async (event: FormEvent) => {
    event.preventDefault();
    setShort(!isWholeToken(token));
    if (!isWholeToken(token)) return;
    if (await run(() => actions.signIn({ token: token.replaceAll('-', '') }))) navigate('/confirm', { replaces: true });
  };
  return (
    <Page
      title={t('signIn.typeTitle')}
      backTo="/"
      actions={
        <Button look="primary" type="submit" form="token" aria-disabled={isBusy}>
          {t(isBusy ? 'signIn.busy' : 'signIn.signIn')}
        </Button>
      }
    >
      <form id="token" className={styles.form} onSubmit={signIn}>
        <label htmlFor="token-field">{t('signIn.code')}</label>
        <input
          id="token-field"
          className={styles.code}
          value={token}
          onChange={(event) => {
            setToken(groupedToken(event.target.value));
            setShort(false);
          }}
          autoComplete="off"
          autoCapitalize="characters"
          autoCorrect="off"
          spellCheck={false}
          enterKeyHint="go"
          aria-describedby="token-help"
          aria-invalid={isShort}
        />
        <p id="token-help" className={styles.muted}>
          {t('signIn.codeHelp')}
        </p>
      </form>
      <Failure text={failure ?? (isShort ? t('signIn.tooShort') : undefined)} />
    </Page>
  );
}
