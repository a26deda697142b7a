/** Pictures to go with a message or a problem: taken or chosen, made small at once, shown, and removable. */
import { type ChangeEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';
import { IconButton } from '../../kit/button.tsx';
import { Icon } from '../../kit/icon.tsx';
import { Failure } from '../../kit/notice.tsx';
import { useWords } from '../../words/words.ts';
import { preparePicture } from './picture.ts';
import styles from './pictures.module.css';

/** What one message may carry. */
const MOST_PICTURES = 4;

export interface Pictures {
  list: readonly { id: number; url: string; blob: Blob }[];
  isPreparing: boolean;
  problem: 'UNREADABLE' | 'TOO_MANY' | undefined;
  add: (files: readonly File[]) => Promise<void>;
  remove: (id: number) => void;
  /** Replaces them by pictures that were prepared before. */
  set: (blobs: readonly Blob[]) => void;
}

export function usePictures(): Pictures {
  const [list, setList] = useState<Pictures['list']>([]);
  const [isPreparing, setPreparing] = useState(false);
  const [problem, setProblem] = useState<Pictures['problem']>();
  const nextId = useRef(0);
  const urls = useRef(new Set<string>());
  useEffect(() => {
    const made = urls.current;
    return () => {
      for (const url of made) URL.revokeObjectURL(url);
    };
  }, []);
  const shown = (blob: Blob) => {
    const url = URL.createObjectURL(blob);
    urls.current.add(url);
    nextId.current += 1;
    return { id: nextId.current, url, blob };
  };
  const add = async (files: readonly File[]) => {
    setProblem(undefined);
    setPreparing(true);
    try {
      let room = MOST_PICTURES - list.length;
      for (const file of files) {
        if (room === 0) {
          setProblem('TOO_MANY');
          break;
        }
        const picture = shown(await preparePicture(file));
        setList((before) => [...before, picture]);
        room -= 1;
      }
    } catch {
      setProblem('UNREADABLE');
    } finally {
      setPreparing(false);
    }
  };
  return {
    list,
    isPreparing,
    problem,
    add,
    remove: (removed) => {
      setProblem(undefined);
      setList((before) => before.filter(({ id }) => id !== removed));
    },
    set: (blobs) => {
      setProblem(undefined);
      setList(blobs.map(shown));
    },
  };
}

/** The same array until a picture is added or removed. */
export const usePictureBlobs = ({ list }: Pictures): readonly Blob[] =>
  useMemo(() => list.map(({ blob }) => blob), [list]);

/** @param children what stands beside the buttons, such as Send */
export function PictureTray({ pictures, children }: { pictures: Pictures; children?: ReactNode }) {
  const { t } = useWords();
  const { list, isPreparing, problem, add, remove } = pictures;
  return (
    <div className={styles.tray}>
      {list.length > 0 && (
        <ul className={styles.list}>
          {list.map(({ id, url }, index) => (
            <li key={id}>
              <img src={url} alt={`${t('messages.picture')} ${index + 1}`} />
              <span className={styles.remove}>
                <IconButton
                  icon="close"
                  label={t('messages.removePicture', { number: index + 1 })}
                  onClick={() => remove(id)}
                />
              </span>
            </li>
          ))}
        </ul>
      )}
      <p role="status" className={isPreparing ? styles.status : 'visually-hidden'}>
        {isPreparing && t('messages.preparing')}
      </p>
      <Failure text={problem && t(`pictures.${problem}`, { count: MOST_PICTURES })} />
      <div className={styles.buttons}>
        <FileButton label={t('messages.take')} icon="camera" capture onFiles={add} />
        <FileButton label={t('messages.choose')} icon="picture" onFiles={add} />
        {children}
      </div>
    </div>
  );
}

/** The browser's own file field: with `capture` a phone opens its camera. */
export function FileButton({
  label,
  icon,
  capture = false,
  onFiles,
}: {
  label: string;
  icon: 'camera' | 'picture';
  capture?: boolean;
  onFiles: (files: readonly File[]) => void;
}) {
  const id = useId();
  const change = (event: ChangeEvent<HTMLInputElement>) => {
    onFiles([...(event.target.files ?? [])]);
    // The same picture can be chosen again after it was removed.
    event.target.value = '';
  };
  return (
    <label className={styles.button} htmlFor={id}>
      <input
        id={id}
        type="file"
        accept="image/*"
        multiple={!capture}
        capture={capture ? 'environment' : undefined}
        onChange={change}
      />
      <Icon name={icon} />
      <span>{label}</span>
    </label>
  );
}
