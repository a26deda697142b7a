/** File input by drag and drop or by the system's file dialog. */
import { useRef, useState } from 'react';
import { useWords } from '../i18n/i18n.ts';
import { Button, IconButton } from './controls.tsx';
import styles from './file-drop.module.css';
import { Icon } from './icon.tsx';

export function FileDrop({
  label,
  help,
  files,
  onChange,
  isDisabled,
}: {
  label: string;
  help: string;
  files: readonly File[];
  onChange: (files: File[]) => void;
  isDisabled?: boolean;
}) {
  const { t, format } = useWords();
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  /** A file replaces an earlier one of the same name, because the site stores files by name. */
  const add = (more: readonly File[]) => {
    const names = new Set(more.map((file) => file.name));
    onChange([...files.filter((file) => !names.has(file.name)), ...more]);
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keyboard users choose files with the button */}
      <div
        className={styles.drop}
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          if (!isDisabled) add([...event.dataTransfer.files]);
        }}
      >
        <Icon name="upload" size={28} />
        <strong>{label}</strong>
        <p>{help}</p>
        <Button icon="plus" isDisabled={isDisabled} onPress={() => input.current?.click()}>
          {t('form.chooseFiles')}
        </Button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label={label}
          onChange={(event) => {
            add([...(event.target.files ?? [])]);
            event.target.value = '';
          }}
        />
      </div>
      {files.length > 0 && (
        <ul className={styles.files} aria-label={t('form.files')}>
          {files.map((file) => (
            <li key={file.name}>
              <Icon name="page" size={16} />
              <span>{file.name}</span>
              <span>{format.bytes(file.size)}</span>
              <IconButton
                small
                kind="quiet"
                icon="close"
                label={t('form.removeFile', { name: file.name })}
                isDisabled={isDisabled}
                onPress={() => onChange(files.filter((one) => one !== file))}
              />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
