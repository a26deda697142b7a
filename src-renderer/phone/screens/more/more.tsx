/** What is needed now and then: problems, what waits, privacy, lock, language, sign-out. */
import { Icon, type IconName } from '../../kit/icon.tsx';
import { Failure } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { hrefOf } from '../../kit/route.ts';
import { useAction } from '../../kit/use-action.ts';
import { useActions, usePhone } from '../../kit/use-phone.ts';
import { useWords } from '../../words/words.ts';
import { LanguageSwitch } from './language-switch.tsx';
import styles from './more.module.css';

export function MoreScreen() {
  const { t } = useWords();
  const { waiting, hasLock, reach, subjectName, studyName } = usePhone();
  const actions = useActions();
  const { run, failure } = useAction();
  const lead = [subjectName, studyName].filter((part) => part !== undefined).join(' · ');
  return (
    <Page title={t('more.title')} screen="more" lead={lead}>
      <ul className={styles.links}>
        <Row icon="help" to="/problem" text={t('problem.title')} />
        <Row
          icon="waiting"
          to="/waiting"
          text={t('waiting.title')}
          note={waiting.length === 0 ? t('more.waitingNone') : t('more.waitingCount', { count: waiting.length })}
        />
        <Row icon="calendar" to="/week" text={t('week.title')} />
        {reach.canInstall && !reach.isInstalled && (
          <li>
            <button type="button" className={styles.link} onClick={() => run(() => actions.install())}>
              <Icon name="plus" />
              <RowText text={t('more.install')} note={t('more.installHelp')} />
            </button>
          </li>
        )}
        <Row icon="info" to="/about" text={t('more.about')} />
        <Row icon="lock" to="/lock" text={t('more.lock')} note={t(hasLock ? 'more.lockOn' : 'more.lockOff')} />
        <Row icon="signOut" to="/leave" text={t('more.leave')} />
      </ul>
      <Failure text={failure} />
      <section className={styles.language} aria-labelledby="language">
        <h2 id="language">{t('more.language')}</h2>
        <LanguageSwitch />
      </section>
    </Page>
  );
}

function Row({ icon, to, text, note }: { icon: IconName; to: string; text: string; note?: string }) {
  return (
    <li>
      <a className={styles.link} href={hrefOf(to)}>
        <Icon name={icon} />
        <RowText text={text} note={note} />
        <Icon name="forward" size={20} />
      </a>
    </li>
  );
}

function RowText({ text, note }: { text: string; note: string | undefined }) {
  return (
    <span className={styles.linkText}>
      <span>{text}</span>
      {note !== undefined && <span className={styles.note}>{note}</span>}
    </span>
  );
}
