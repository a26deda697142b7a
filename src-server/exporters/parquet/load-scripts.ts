/** Scripts in every Parquet export: two that load its tables, for pandas and for R, and one that puts an export of changes onto another. */

export const LOAD_PYTHON = `"""Loads the tables of this archive.

    import load                      # in the folder of the unpacked archive
    metrics = load.table('metrics')  # all subjects; a table without rows is an empty frame
    hrv = load.table('hrv_5min')
    recordings = load.table('recordings')
    samples = load.samples(recordings['file'][0])
    samples = load.samples(recordings['file'][0], 'ECG')

Tables are metrics, metrics_uncorrected, channels, hrv_5min, corrections and recordings. Times are UTC, dates local to the
subject. Needs pandas 1.5 or later with pyarrow; or, without pyarrow, the package duckdb.
"""
import json
from pathlib import Path

import pandas as pd

HERE = Path(__file__).resolve().parent

try:
    import pyarrow.parquet as _pyarrow
except ImportError:
    _pyarrow = None


def _read(path, kind=None):
    if _pyarrow is not None:
        filters = None if kind is None else [('type', '=', kind)]
        # Of this file alone: folders named after subjects are no partitions.
        return _pyarrow.read_table(str(path), filters=filters, partitioning=None).to_pandas()
    try:
        import duckdb
    except ImportError:
        raise ImportError('Install the package pyarrow or duckdb to read Parquet files.') from None
    condition = '' if kind is None else ' WHERE type = $kind'
    values = {'path': str(path)} if kind is None else {'path': str(path), 'kind': kind}
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        frame = connection.execute(f'SELECT * FROM read_parquet($path){condition}', values).df()
    if 'date' in frame.columns:
        frame['date'] = pd.to_datetime(frame['date']).dt.date
    return frame


def table(name):
    """A table with the rows of all subjects, text as such, dates as datetime.date."""
    frames = [_read(path) for path in sorted((HERE / name).glob('*.parquet'))]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def samples(file, kind=None):
    """The samples of one recording, by its file in the table of recordings; of one type where a kind is given."""
    return _read(HERE / file, kind)


def manifest():
    """What this archive is, with its files and what could not be read."""
    return json.loads((HERE / 'manifest.json').read_text(encoding='utf-8'))
`;

export const LOAD_R = `# Loads the tables of this archive. Needs R 4.0 or later and one of the packages arrow, nanoparquet or duckdb (with DBI).
#
#     source('load.R')                       # in the folder of the unpacked archive
#     metrics <- load_table('metrics')       # all subjects; NULL for a table without rows
#     hrv <- load_table('hrv_5min')
#     recordings <- load_table('recordings')
#     samples <- load_samples(recordings$file[1])
#     samples <- load_samples(recordings$file[1], type = 'ECG')
#
# Tables are metrics, metrics_uncorrected, channels, hrv_5min, corrections and recordings. Times are UTC (POSIXct), dates local to
# the subject (Date).
#
# Debian, on which Outpost is tested, has none of these packages: there R was not seen to read a Parquet file. What was tested there is all else
# of this script, and load.R of the CSV archive of a study, which has the same tables without samples and needs R alone.

read_parquet_file <- function(path) {
  if (requireNamespace('arrow', quietly = TRUE)) return(as.data.frame(arrow::read_parquet(path)))
  if (requireNamespace('nanoparquet', quietly = TRUE)) return(as.data.frame(nanoparquet::read_parquet(path)))
  if (requireNamespace('duckdb', quietly = TRUE) && requireNamespace('DBI', quietly = TRUE)) {
    connection <- DBI::dbConnect(duckdb::duckdb())
    on.exit(DBI::dbDisconnect(connection, shutdown = TRUE))
    return(DBI::dbGetQuery(connection, 'SELECT * FROM read_parquet(?)', params = list(path)))
  }
  stop('Install one of the packages arrow, nanoparquet or duckdb to read Parquet files.')
}

# Files of several subjects have the same columns.
load_table <- function(name, folder = '.') {
  files <- sort(list.files(file.path(folder, name), pattern = '[.]parquet$', full.names = TRUE))
  if (length(files) == 0) return(NULL)
  do.call(rbind, lapply(files, read_parquet_file))
}

load_samples <- function(file, folder = '.', type = NULL) {
  frame <- read_parquet_file(file.path(folder, file))
  if (is.null(type)) frame else frame[frame$type == type, , drop = FALSE]
}
`;

export const APPLY_PYTHON = `"""Puts an archive of changes onto the unpacked archive that it continues.

    python3 apply.py <archive of changes, zip or unpacked>

runs in the folder of the earlier archive, which another folder behind the archive of changes replaces. Afterwards the folder holds what a full archive of that moment holds. Every file is checked by its SHA-256: those of the earlier
archive before anything is changed, those of the changes before they take their place. Needs Python 3.8 or later alone.
"""
import hashlib
import json
import sys
import zipfile
from pathlib import Path, PurePosixPath


class Source:
    """The archive of changes, packed or not."""

    def __init__(self, path):
        self.folder = path if path.is_dir() else None
        self.zip = None if path.is_dir() else zipfile.ZipFile(path)

    def open(self, name):
        return open(self.folder / name, 'rb') if self.folder else self.zip.open(name)


def sha256_of(stream):
    digest = hashlib.sha256()
    for block in iter(lambda: stream.read(1 << 20), b''):
        digest.update(block)
    return digest.hexdigest()


def path_in(folder, name):
    parts = PurePosixPath(name).parts
    if not parts or name.startswith('/') or '..' in parts or '\\\\' in name or ':' in name:
        sys.exit(f'The manifest names a file outside of the archive: {name}')
    return folder.joinpath(*parts)


def main(changes, folder):
    source = Source(changes)
    with source.open('manifest.json') as stream:
        text = stream.read()
    manifest = json.loads(text)
    before = json.loads((folder / 'manifest.json').read_text(encoding='utf-8'))
    if 'base' not in manifest:
        sys.exit('This is a full archive. Unpack it as it is.')
    if manifest['base']['exportId'] != before['exportId']:
        sys.exit(f"The changes continue the archive {manifest['base']['exportId']}; the folder holds {before['exportId']}.")
    for file in manifest['files']:
        path = path_in(folder, file['path'])
        if file['state'] != 'UNCHANGED':
            with source.open(file['path']) as stream:
                found = sha256_of(stream)
        elif path.is_file():
            with open(path, 'rb') as stream:
                found = sha256_of(stream)
        else:
            sys.exit(f"The folder lacks {file['path']}.")
        if found != file['sha256']:
            sys.exit(f"{file['path']} has other content than the manifest says. Nothing was changed.")
    for file in manifest['files']:
        if file['state'] == 'UNCHANGED':
            continue
        path = path_in(folder, file['path'])
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(path.name + '.partial')
        with source.open(file['path']) as stream, open(partial, 'wb') as out:
            for block in iter(lambda: stream.read(1 << 20), b''):
                out.write(block)
        partial.replace(path)
    for name in manifest['removed']:
        path = path_in(folder, name)
        path.unlink(missing_ok=True)
        # An interrupted run may have removed the folder already.
        if path.parent != folder and path.parent.is_dir() and not any(path.parent.iterdir()):
            path.parent.rmdir()
    # Last, so that an interrupted run can be repeated.
    partial = folder / 'manifest.json.partial'
    partial.write_bytes(text)
    partial.replace(folder / 'manifest.json')
    count = sum(file['state'] != 'UNCHANGED' for file in manifest['files'])
    print(f"{count} files written, {len(manifest['removed'])} removed, {len(manifest['files'])} in all.")


if __name__ == '__main__':
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) == 3 else Path(__file__).resolve().parent)
`;
