/** A QR code that a phone scans from the screen. */
import styles from './qr-picture.module.css';

/** @param svg made by the library `qrcode`; while it is being made, the place stays empty */
export function QrPicture({
  label,
  svg,
  isSmall = false,
}: {
  label: string;
  svg: string | undefined;
  /** For a dialog that has more below it. */
  isSmall?: boolean;
}) {
  return (
    <div className={isSmall ? `${styles.qr} ${styles.small}` : styles.qr}>
      {svg !== undefined && (
        <div
          role="img"
          aria-label={label}
          // biome-ignore lint/security/noDangerouslySetInnerHtml: made here by the library, of rectangles alone
          dangerouslySetInnerHTML={{ __html: svg }}
        />
      )}
    </div>
  );
}
