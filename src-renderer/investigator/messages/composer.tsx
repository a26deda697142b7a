/** Writes to a subject: text, and a picture that is chosen, dropped or pasted. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type DragEvent, useEffect, useId, useRef, useState } from 'react';
import { Label, TextArea, TextField } from 'react-aria-components';
import { client } from '../../shared/api/client.ts';
import { ApiError } from '../../shared/api/queries.ts';
import { useUnsavedInput } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, IconButton, Kbd } from '../../shared/kit/controls.tsx';
import { errorSentence, Notice } from '../../shared/kit/state.tsx';
import { useSelected } from '../../shared/store.ts';
import { keyNames } from '../commands/keys.ts';
import { draftOf, drafts, setDraft } from './drafts.ts';
import styles from './messages.module.css';

/** What the interface takes; it looks at the bytes itself. */
const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const MAX_PICTURE_BYTES = 10 * 1024 * 1024;
const MAX_TEXT = 10_000;

/** A file that calls itself a picture and is none. */
const isOfPicture = (error: Error) => error instanceof ApiError && error.errors.some(({ path }) => path === 'image');

function PicturePreview({ picture, onRemove }: { picture: File; onRemove: () => void }) {
  const { t, format } = useWords();
  const [address, setAddress] = useState('');
  useEffect(() => {
    const made = URL.createObjectURL(picture);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [picture]);
  return (
    <p className={styles.preview}>
      {address && <img src={address} alt="" />}
      <span>
        {picture.name} <small>{format.bytes(picture.size)}</small>
      </span>
      <IconButton small kind="quiet" icon="close" label={t('messages.removePicture')} onPress={onRemove} />
    </p>
  );
}

export function Composer({
  studyId,
  subjectId,
  subjectName,
  autoFocus,
  onSent,
}: {
  studyId: string;
  subjectId: string;
  subjectName: string;
  autoFocus?: boolean;
  /** After the site has it: what was unread is answered. */
  onSent: () => void;
}) {
  const { t, language, format } = useWords();
  const queries = useQueryClient();
  const { text, picture } = useSelected(drafts, (all) => draftOf(all, subjectId));
  const [problem, setProblem] = useState<'type' | 'size' | 'text' | null>(null);
  const [isOver, setOver] = useState(false);
  const file = useRef<HTMLInputElement>(null);
  const helpId = useId();
  useUnsavedInput(text.trim() !== '' || picture !== null);

  const send = useMutation({
    mutationFn: () => {
      const body = new FormData();
      body.set('body', text);
      if (picture) body.set('image', picture);
      return client.call('sendMessage', { params: { studyId, subjectId }, body });
    },
    onSuccess: async () => {
      setDraft(subjectId, { text: '', picture: null });
      onSent();
      await queries.invalidateQueries({ queryKey: ['message'] });
    },
  });

  function submit() {
    if (send.isPending) return;
    if (text.trim() === '') {
      setProblem('text');
      return;
    }
    setProblem(null);
    send.mutate();
  }

  function take(files: Iterable<File> | ArrayLike<File>): boolean {
    const [first] = Array.from(files);
    if (!first) return false;
    if (!PICTURE_TYPES.includes(first.type)) setProblem('type');
    else if (first.size > MAX_PICTURE_BYTES) setProblem('size');
    else {
      setProblem(null);
      setDraft(subjectId, { picture: first });
    }
    return true;
  }

  const drag = {
    onDragOver: (event: DragEvent) => {
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      take(event.dataTransfer.files);
    },
  };

  return (
    <form
      className={styles.composer}
      data-over={isOver || undefined}
      aria-label={t('messages.write', { name: subjectName })}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      {...drag}
    >
      <TextField
        value={text}
        onChange={(next) => {
          setDraft(subjectId, { text: next });
          if (problem === 'text') setProblem(null);
        }}
        maxLength={MAX_TEXT}
        autoFocus={autoFocus}
        aria-describedby={helpId}
        isInvalid={problem === 'text'}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            submit();
          }
        }}
      >
        <Label className="visually-hidden">{t('messages.write', { name: subjectName })}</Label>
        <TextArea
          className={styles.text}
          rows={3}
          placeholder={t('messages.write', { name: subjectName })}
          onPaste={(event) => {
            if (take(event.clipboardData.files)) event.preventDefault();
          }}
        />
      </TextField>
      {picture && <PicturePreview picture={picture} onRemove={() => setDraft(subjectId, { picture: null })} />}
      {problem && (
        <Notice tone="bad">{t(`messages.problem.${problem}`, { size: format.bytes(MAX_PICTURE_BYTES) })}</Notice>
      )}
      {send.error && (
        <Notice tone="bad">
          {isOfPicture(send.error) ? t('messages.problem.type') : errorSentence(send.error, t, language)}
        </Notice>
      )}
      <div className={styles.composerTools}>
        <Button icon="image" onPress={() => file.current?.click()}>
          {t(picture ? 'messages.replacePicture' : 'messages.addPicture')}
        </Button>
        <input
          ref={file}
          type="file"
          accept={PICTURE_TYPES.join(',')}
          hidden
          data-testid="picture"
          onChange={(event) => {
            take(event.target.files ?? []);
            event.target.value = '';
          }}
        />
        <span id={helpId} className={styles.hint}>
          {t('messages.pictureHelp')}
        </span>
        <span className={styles.keys} aria-hidden="true">
          {keyNames('Mod+Enter').map((name) => (
            <Kbd key={name}>{name}</Kbd>
          ))}
        </span>
        <Button type="submit" kind="primary" icon="send" isDisabled={send.isPending}>
          {t(send.isPending ? 'messages.sending' : 'messages.send')}
        </Button>
      </div>
    </form>
  );
}
