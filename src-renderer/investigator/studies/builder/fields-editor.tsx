/** The metadata fields that a study adds to the fixed fields of its subjects. */
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Field } from '../../../shared/kit/controls.tsx';
import { Select } from '../../../shared/kit/forms.tsx';
import { Empty } from '../../../shared/kit/state.tsx';
import styles from './builder.module.css';
import { Choices } from './choices.tsx';
import { FIELD_TYPES, firstValues, type Locks, type MetadataField, newField } from './draft.ts';

export function FieldsEditor({
  fields,
  locks,
  errorOf,
  isReadOnly,
  onChange,
}: {
  fields: readonly MetadataField[];
  locks: Locks;
  errorOf: (path: string) => string | undefined;
  isReadOnly: boolean;
  onChange: (fields: MetadataField[]) => void;
}) {
  const { t } = useWords();
  const add = !isReadOnly && (
    <Button icon="plus" onPress={() => onChange([...fields, newField()])}>
      {t('builder.add.fields')}
    </Button>
  );
  if (fields.length === 0) {
    return (
      <Empty icon="rows" title={t('builder.emptyTitle.fields')} help={t('builder.emptyHelp.fields')}>
        {add}
      </Empty>
    );
  }
  return (
    <div className={styles.form}>
      {fields.map((field, index) => {
        const path = `subjectMetadataFields.${index}`;
        // A running study keeps its original fields in place; new ones follow them.
        const kept = index < locks.fields.size ? locks.fields.get(field.displayName) : undefined;
        const put = (next: MetadataField) => onChange(fields.with(index, next));
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a field has no id, and its name is being typed
          <fieldset key={index} className={styles.question} disabled={isReadOnly}>
            <legend>{t('builder.field', { number: index + 1 })}</legend>
            <div className={styles.pair}>
              <Field
                label={t('builder.name')}
                value={field.displayName}
                isDisabled={kept !== undefined || isReadOnly}
                onChange={(displayName) => put({ ...field, displayName })}
                error={errorOf(`${path}.displayName`)}
              />
              <Select
                label={t('builder.fieldType')}
                value={field.type}
                isDisabled={kept !== undefined || isReadOnly}
                help={kept && t('builder.lockedField')}
                options={FIELD_TYPES.map((id) => ({ id, label: t(`builder.fieldTypes.${id}`) }))}
                onChange={(type) => put({ ...field, type, values: firstValues(type) })}
              />
            </div>
            {field.type === 'MULTIPLECHOICE' && (
              <Choices
                values={field.values}
                kept={kept?.values ?? []}
                error={errorOf(`${path}.values`)}
                onChange={(values) => put({ ...field, values })}
              />
            )}
            {!kept && !isReadOnly && (
              <Button small kind="quiet" icon="trash" onPress={() => onChange(fields.toSpliced(index, 1))}>
                {field.displayName
                  ? t('builder.remove', { name: field.displayName })
                  : t('builder.removeUnnamed.fields')}
              </Button>
            )}
          </fieldset>
        );
      })}
      <div>{add}</div>
    </div>
  );
}
