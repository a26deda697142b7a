/** The language, each written in itself. */
import { LANGUAGES, type Language } from '../../../shared/i18n/languages.ts';
import { changeLanguage, useWords } from '../../words/words.ts';
import styles from './more.module.css';

const NAMES: Record<Language, string> = { en: 'English', ja: '日本語' };

export function LanguageSwitch() {
  const { t, language } = useWords();
  return (
    <fieldset className={styles.languages}>
      <legend className="visually-hidden">{t('more.language')}</legend>
      {LANGUAGES.map((choice) => (
        <label key={choice} lang={choice}>
          <input
            type="radio"
            name="language"
            checked={choice === language}
            onChange={() => void changeLanguage(choice)}
          />
          <span>{NAMES[choice]}</span>
        </label>
      ))}
    </fieldset>
  );
}
