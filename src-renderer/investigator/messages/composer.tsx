/** The form that writes to a subject: text, and a picture that is chosen, dropped or pasted. */
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

/** The types that the site accepts; it checks the bytes itself. */
const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const MAX_PICTURE_BYTES = 10 * 1024 * 1024;
const MAX_TEXT = 10_000;

/** Whether the site refused the picture, as it does a file that only claims to be one. */
const isPictureError = (error: Error) => error instanceof ApiError && error.errors.some(({ path }) => path === 'image');

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

/** The message being written to one subject: its text and picture, their problems, and sending it. */
function useComposer(studyId: string, subjectId: string, onSent: () => void) {
  const queries = useQueryClient();
  const { text, picture } = useSelected(drafts, (all) => draftOf(all, subjectId));
  const [problem, setProblem] = useState<'type' | 'size' | 'text' | null>(null);
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

  /** Attaches the first of the files; false when there is none. */
  function attach(files: Iterable<File> | ArrayLike<File>): boolean {
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

  return { text, picture, problem, setProblem, send, submit, attach };
}

/** Marks the form while a file is dragged over it, and hands over what is dropped. */
function useFileDrop(onFiles: (files: FileList) => void) {
  const [isOver, setOver] = useState(false);
  return {
    'data-over': isOver || undefined,
    onDragOver: (event: DragEvent) => {
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      onFiles(event.dataTransfer.files);
    },
  };
}

function Tools({
  helpId,
  hasPicture,
  isSending,
  onFiles,
}: {
  helpId: string;
  hasPicture: boolean;
  isSending: boolean;
  onFiles: (files: Iterable<File> | ArrayLike<File>) => void;
}) {
  const { t } = useWords();
  const file = useRef<HTMLInputElement>(null);
  return (
    <div className={styles.composerTools}>
      <Button icon="image" onPress={() => file.current?.click()}>
        {t(hasPicture ? 'messages.replacePicture' : 'messages.addPicture')}
      </Button>
      <input
        ref={file}
        type="file"
        accept={PICTURE_TYPES.join(',')}
        hidden
        data-testid="picture"
        onChange={(event) => {
          onFiles(event.target.files ?? []);
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
      <Button type="submit" kind="primary" icon="send" isDisabled={isSending}>
        {t(isSending ? 'messages.sending' : 'messages.send')}
      </Button>
    </div>
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
  /** Called once the site has stored the message, which answers what was unread. */
  onSent: () => void;
}) {
  const { t, language, format } = useWords();
  const { text, picture, problem, setProblem, send, submit, attach } = useComposer(studyId, subjectId, onSent);
  const helpId = useId();
  const drop = useFileDrop(attach);

  return (
    <form
      className={styles.composer}
      aria-label={t('messages.write', { name: subjectName })}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      {...drop}
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
            if (attach(event.clipboardData.files)) event.preventDefault();
          }}
        />
      </TextField>
      {picture && <PicturePreview picture={picture} onRemove={() => setDraft(subjectId, { picture: null })} />}
      {problem && (
        <Notice tone="bad">{t(`messages.problem.${problem}`, { size: format.bytes(MAX_PICTURE_BYTES) })}</Notice>
      )}
      {send.error && (
        <Notice tone="bad">
          {isPictureError(send.error) ? t('messages.problem.type') : errorSentence(send.error, t, language)}
        </Notice>
      )}
      <Tools helpId={helpId} hasPicture={picture !== null} isSending={send.isPending} onFiles={attach} />
    </form>
  );
}
