/**
 * The field of each type of question. All are native elements, named by the heading of the screen. Without the model of the phone: the
 * desk previews them.
 */

import { useWords } from '../../words/words.ts';
import { hasSeveral, LONGEST_TEXT, plainNumber, rangeOf } from './answers.ts';
import { Choices } from './choices.tsx';
import type { InputProps } from './input-props.ts';
import styles from './question.module.css';
import { RangeInput } from './range-input.tsx';

export function AnswerInput(props: InputProps) {
  const { t } = useWords();
  const { question, values, onChange } = props;
  switch (question.type) {
    case 'BOOLEAN':
      return (
        <Choices
          {...props}
          choices={[
            { value: 'YES', text: t('survey.yes') },
            { value: 'NO', text: t('survey.no') },
          ]}
        />
      );
    case 'MULTIPLECHOICE':
      return (
        <Choices
          {...props}
          choices={question.values.map((value) => ({ value, text: value }))}
          allowsSeveral={hasSeveral(question)}
        />
      );
    case 'RANGE': {
      const range = rangeOf(question);
      return range ? <RangeInput {...props} range={range} /> : <NumberInput {...props} />;
    }
    case 'NUMERIC':
      return <NumberInput {...props} />;
    case 'TIMEOFDAY':
      return <TimeInput {...props} />;
    case 'DATE':
      return <DateInput {...props} />;
    default:
      return (
        <textarea
          className={`${styles.field} ${styles.area}`}
          aria-label={question.text}
          value={values[0] ?? ''}
          maxLength={LONGEST_TEXT}
          onChange={(event) => onChange([event.target.value])}
        />
      );
  }
}

function NumberInput({ question, values, onChange, fault }: InputProps) {
  const { t } = useWords();
  const text = values[0] ?? '';
  const plain = plainNumber(text);
  return (
    <div className={styles.choices}>
      <div className={styles.withUnit}>
        <input
          className={styles.field}
          inputMode="decimal"
          autoComplete="off"
          enterKeyHint="next"
          aria-label={question.unit ? `${question.text} (${question.unit})` : question.text}
          aria-invalid={fault === 'number'}
          value={text}
          maxLength={30}
          onChange={(event) => onChange([event.target.value])}
        />
        {question.unit && <span aria-hidden="true">{question.unit}</span>}
      </div>
      {/* Only where it differs from what stands in the field: a comma may have been meant as a thousands separator. */}
      {plain !== undefined && plain !== text.trim() && (
        <p className={styles.hint}>{t('survey.readAs', { value: plain })}</p>
      )}
    </div>
  );
}

function TimeInput({ question, values, onChange, fault, timeNow }: InputProps) {
  const { t } = useWords();
  return (
    <div className={styles.choices}>
      <input
        className={styles.field}
        type="time"
        aria-label={question.text}
        aria-invalid={fault === 'time'}
        value={values[0] ?? ''}
        onChange={(event) => onChange([event.target.value.slice(0, 5)])}
      />
      <div className={styles.steps}>
        <button type="button" onClick={() => onChange([timeNow()])}>
          {t('survey.now')}
        </button>
      </div>
    </div>
  );
}

function DateInput({ question, values, onChange, fault, today }: InputProps) {
  const { t } = useWords();
  return (
    <div className={styles.choices}>
      <input
        className={styles.field}
        type="date"
        aria-label={question.text}
        aria-invalid={fault === 'date'}
        value={values[0] ?? ''}
        max="9999-12-31"
        onChange={(event) => onChange([event.target.value])}
      />
      <div className={styles.steps}>
        <button type="button" onClick={() => onChange([today])}>
          {t('survey.today')}
        </button>
      </div>
    </div>
  );
}
