/** The first screen: what this is, how to sign in, what this phone can and cannot do here. */
import { Fragment } from 'react';
import { Body } from '../../kit/body.tsx';
import { ButtonLink } from '../../kit/button.tsx';
import { Icon, type IconName } from '../../kit/icon.tsx';
import { useHeading } from '../../kit/page.tsx';
import { usePhone } from '../../kit/use-phone.ts';
import { useWords } from '../../words/words.ts';
import { LanguageSwitch } from '../more/language-switch.tsx';
import { ReachList } from '../more/reach-list.tsx';
import styles from './start.module.css';

export function WelcomeScreen() {
  const { t } = useWords();
  const { reach, storage } = usePhone();
  const phrases = t('start.title').split('\u200b');
  const heading = useHeading('welcome', phrases.join(''));
  const canScan = reach.isSecure && 'mediaDevices' in navigator;
  return (
    <>
      <header className={styles.hero}>
        <div className={styles.heroInner}>
          <LanguageSwitch />
          <h1 ref={heading} tabIndex={-1}>
            {phrases.map((phrase, index) => (
              <Fragment key={phrase}>
                {index > 0 && <wbr />}
                {phrase}
              </Fragment>
            ))}
          </h1>
          <p>{t('start.lead')}</p>
        </div>
      </header>
      <Body
        actions={
          <>
            {canScan && (
              <ButtonLink look="primary" icon="scan" to="/scan">
                {t('start.scan')}
              </ButtonLink>
            )}
            <ButtonLink look={canScan ? 'quiet' : 'primary'} to="/type">
              {t('start.type')}
            </ButtonLink>
          </>
        }
      >
        <section className={styles.section} aria-labelledby="how">
          <h2 id="how">{t('start.how')}</h2>
          <ol className={styles.steps}>
            <Step icon="scan">{t('start.steps.ask')}</Step>
            <Step icon="camera">{t('start.steps.camera')}</Step>
            <Step icon="check">{t('start.steps.tap')}</Step>
          </ol>
        </section>
        <section className={styles.section} aria-labelledby="reach">
          <h2 id="reach">{t('start.reach')}</h2>
          <ReachList reach={reach} storage={storage} />
        </section>
      </Body>
    </>
  );
}

function Step({ icon, children }: { icon: IconName; children: string }) {
  return (
    <li>
      <span className={styles.stepIcon}>
        <Icon name={icon} />
      </span>
      <span>{children}</span>
    </li>
  );
}
