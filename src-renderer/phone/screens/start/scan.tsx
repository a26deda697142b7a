/** Reads the sign-in code with the camera, for a phone whose own camera opens another browser than the installed app. */
import { useEffect, useRef, useState } from 'react';
import { ButtonLink } from '../../kit/button.tsx';
import { Failure } from '../../kit/notice.tsx';
import { Page } from '../../kit/page.tsx';
import { useWords } from '../../words/words.ts';
import { readSignInLink, type SignInLink } from './sign-in-link.ts';
import styles from './start.module.css';

const PAUSE_MS = 250;
/** Wide enough to read the code, small enough for an old phone to search four times a second. */
const WIDTH_PX = 480;

export function ScanScreen({ onLink }: { onLink: (link: SignInLink) => void }) {
  const { t } = useWords();
  const video = useRef<HTMLVideoElement>(null);
  const [problem, setProblem] = useState<'camera' | 'otherCode'>();
  const found = useRef(onLink);
  useEffect(() => {
    found.current = onLink;
  }, [onLink]);
  useEffect(() => {
    const controller = new AbortController();
    void watch(video.current, controller.signal, (text) => {
      const link = readSignInLink(text);
      if (link) found.current(link);
      else setProblem('otherCode');
      return link !== undefined;
    }).catch(() => setProblem('camera'));
    return () => controller.abort();
  }, []);
  return (
    <Page
      title={t('scan.title')}
      backTo="/"
      actions={
        <ButtonLink look="quiet" to="/type">
          {t('start.type')}
        </ButtonLink>
      }
    >
      <p>{t('scan.text')}</p>
      {problem !== 'camera' && (
        <video ref={video} className={styles.video} playsInline muted aria-label={t('scan.picture')} />
      )}
      <Failure text={problem && t(`scan.problems.${problem}`)} />
    </Page>
  );
}

async function watch(
  video: HTMLVideoElement | null,
  signal: AbortSignal,
  onText: (text: string) => boolean,
): Promise<void> {
  if (!video) return;
  const [{ default: decodeQR }, stream] = await Promise.all([
    import('qr/decode.js'),
    navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } }),
  ]);
  try {
    if (signal.aborted) return;
    video.srcObject = stream;
    await video.play();
    const canvas = document.createElement('canvas');
    const context = canvas.getContext('2d', { willReadFrequently: true });
    while (!signal.aborted && context) {
      canvas.width = WIDTH_PX;
      canvas.height = Math.round((WIDTH_PX * video.videoHeight) / Math.max(1, video.videoWidth)) || WIDTH_PX;
      context.drawImage(video, 0, 0, canvas.width, canvas.height);
      const text = read(decodeQR, context.getImageData(0, 0, canvas.width, canvas.height));
      if (text !== undefined && onText(text)) return;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}

function read(decode: (image: ImageData) => string, image: ImageData): string | undefined {
  try {
    return decode(image);
  } catch {
    return undefined; // No code in this picture.
  }
}
