/** About and privacy: what lies on this phone, who sees it, and what this browser cannot do. */
import { Button } from '../../kit/button.tsx';
import { Failure } from '../../kit/notice.tsx';
import { Card, Page, Section } from '../../kit/page.tsx';
import { useAction } from '../../kit/use-action.ts';
import { useActions, usePhone } from '../../kit/use-phone.ts';
import type { ClockState } from '../../model.ts';
import { useWords, type WordKey } from '../../words/words.ts';
import styles from './more.module.css';
import { ReachList } from './reach-list.tsx';

/** Below this, two clocks are the same to a person. */
const SAME_CLOCK_MS = 60_000;

export function AboutScreen() {
  const { t, format } = useWords();
  const phone = usePhone();
  const actions = useActions();
  const { run, isBusy, failure } = useAction();
  const { storage, reach, clock } = phone;
  return (
    <Page title={t('about.title')} backTo="/more">
      <Section title={t('about.kept')}>
        <Card>
          <Bullets
            keys={[
              'about.keptList.tasks',
              'about.keptList.answers',
              'about.keptList.messages',
              'about.keptList.noName',
            ]}
          />
        </Card>
      </Section>
      <Section title={t('about.seen')}>
        <Card>
          <Bullets keys={['about.seenList.team', 'about.seenList.nobody', 'about.noCare']} />
        </Card>
      </Section>
      <Section title={t('about.reach')}>
        <Card>
          <ReachList reach={reach} storage={storage} />
        </Card>
        {storage.isPersistent === false && (
          <Button aria-disabled={isBusy} onClick={() => run(() => actions.askForPersistence())}>
            {t('about.askPersistence')}
          </Button>
        )}
        <Failure text={failure} />
      </Section>
      <Section title={t('about.study')}>
        <Card>
          <dl className={styles.facts}>
            <Fact name={t('confirm.subject')} value={phone.subjectName} />
            <Fact name={t('confirm.study')} value={phone.studyName} />
            <Fact name={t('confirm.site')} value={phone.siteName} />
            <Fact name={t('about.clock')} value={useClockText(clock)} />
            <Fact
              name={t('about.storage')}
              value={storage.usedBytes === undefined ? undefined : format.bytes(storage.usedBytes)}
            />
            <Fact name={t('about.version')} value={phone.version} />
          </dl>
        </Card>
      </Section>
    </Page>
  );
}

function useClockText({ offsetMs, uncertaintyMs, state }: ClockState): string {
  const { t, format } = useWords();
  if (offsetMs === undefined) return t('about.clockUnknown');
  if (state === 'CHANGED') return t('about.clockNext');
  if (Math.abs(offsetMs) >= SAME_CLOCK_MS)
    return t('about.clockOff', { duration: format.duration(Math.abs(offsetMs) / 1000) });
  const seconds = Math.max(1, Math.ceil((Math.abs(offsetMs) + (uncertaintyMs ?? 0)) / 1000));
  return t('about.clockFine', { seconds });
}

function Bullets({ keys }: { keys: readonly WordKey[] }) {
  const { t } = useWords();
  return (
    <ul className={styles.bullets}>
      {keys.map((key) => (
        <li key={key}>{t(key)}</li>
      ))}
    </ul>
  );
}

function Fact({ name, value }: { name: string; value: string | undefined }) {
  if (value === undefined) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
