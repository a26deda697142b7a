/** The manual: the tasks of a coordinator in the order of their work, to read, to search and to print. */
import { useSearch } from '@tanstack/react-router';
import { useWords } from '../../shared/i18n/i18n.ts';
import { panelClass } from '../../shared/kit/page.tsx';
import styles from './manual.module.css';
import { ManualPage, useShown } from './manual-page.tsx';
import { MANUAL, type ManualTask } from './tasks.ts';

/** A sentence in which the names of controls stand out. */
function Sentence({ text }: { text: string }) {
  return text
    .split(/([“「][^”」]+[”」])/)
    .map((part) => (/^[“「]/.test(part) ? <b key={part}>{part.slice(1, -1)}</b> : part));
}

function Task({ task, isShown }: { task: ManualTask; isShown: boolean }) {
  const { t, language } = useWords();
  const ref = useShown<HTMLElement>(isShown);
  return (
    <section
      ref={ref}
      id={task.id}
      className={`${panelClass} ${styles.entry}`}
      aria-label={task.title[language]}
      data-shown={isShown || undefined}
    >
      <h2>{task.title[language]}</h2>
      <p className={styles.start}>{t(`manual.starts.${task.start}`)}</p>
      <ol>
        {task.steps.map((step) => (
          <li key={step.en}>
            <Sentence text={step[language]} />
          </li>
        ))}
      </ol>
    </section>
  );
}

export function Manual() {
  const { t, language } = useWords();
  const { task: shown } = useSearch({ from: '/desk/manual' });
  return (
    <ManualPage summary={t('manual.summary')}>
      <nav className={styles.contents} aria-label={t('manual.contents')}>
        <ol>
          {MANUAL.map(({ id, title }) => (
            <li key={id}>
              <a href={`#${id}`}>{title[language]}</a>
            </li>
          ))}
        </ol>
      </nav>
      {MANUAL.map((task) => (
        <Task key={task.id} task={task} isShown={task.id === shown} />
      ))}
    </ManualPage>
  );
}
