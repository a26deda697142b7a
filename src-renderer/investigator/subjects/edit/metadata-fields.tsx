import type { Study } from '../../../../src-server/api/contract/index.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Field } from '../../../shared/kit/controls.tsx';
import { Select, TextAreaField } from '../../../shared/kit/forms.tsx';

/** The metadata fields of the study, each with the control of its type. */
export function MetadataFields({
  fields,
  values,
  errorOf,
  onChange,
}: {
  fields: Study['subjectMetadataFields'];
  values: Readonly<Record<string, string>>;
  errorOf: (displayName: string) => string | undefined;
  onChange: (displayName: string, value: string) => void;
}) {
  const { t } = useWords();
  return fields.map(({ displayName, type, values: choices }) => {
    const shared = {
      label: displayName,
      value: values[displayName] ?? '',
      error: errorOf(displayName),
      onChange: (value: string) => onChange(displayName, value),
    };
    if (type === 'FREETEXT') return <TextAreaField key={displayName} rows={2} {...shared} />;
    if (type === 'NUMBER') return <Field key={displayName} inputMode="decimal" {...shared} />;
    const names = type === 'BOOLEAN' ? { YES: t('subjectForm.yes'), NO: t('subjectForm.no') } : {};
    return (
      <Select
        key={displayName}
        {...shared}
        options={[
          { id: '', label: t('subjectForm.notGiven') },
          ...choices.map((id) => ({ id, label: (names as Record<string, string>)[id] ?? id })),
        ]}
      />
    );
  });
}
