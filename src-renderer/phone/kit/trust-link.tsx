/** The way to the page that walks through installing the clinic's certificate, in the same tab. */
import { useWords } from '../words/words.ts';
import styles from './button.module.css';
import { Icon } from './icon.tsx';
import { keepLink } from './kept-link.ts';

export function TrustLink() {
  const { t, language } = useWords();
  return (
    <a href={`/phone/trust?lang=${language}`} className={`${styles.button} ${styles.secondary}`} onClick={keepLink}>
      <Icon name="lock" />
      <span>{t('reach.trust')}</span>
    </a>
  );
}
