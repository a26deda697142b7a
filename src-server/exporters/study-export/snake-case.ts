/** `signedTs` as `signed_ts`: names of columns in the style of BIDS and Parquet. */
export function snakeOf(name: string | number | undefined): string {
  return String(name).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
