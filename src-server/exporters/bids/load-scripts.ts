/** Scripts in every BIDS dataset that load its tables and recordings, for pandas and for R without packages. */

export const BIDS_PYTHON = `"""Loads this dataset and what Outpost computed of it.

    import sys; sys.path.insert(0, 'code')
    import load                          # in the folder of the dataset
    participants = load.participants()
    scans = load.scans()                 # one row per file with samples, with the instant of its first one
    samples = load.samples(scans['path'][0])
    metrics = load.derived('metrics')    # also minutes, hrv5min, corrections and uncorrected
    beats = load.beats()                 # every beat of every recording

Instants that end with Z are UTC, acq_time is the clock of the participant, dates are local. Needs pandas 1.5 or later.
"""
import json
from pathlib import Path

import pandas as pd

HERE = Path(__file__).resolve().parent.parent
DERIVED = HERE / 'derivatives' / 'outpost'
INSTANT = r'\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z'


def _table(path):
    frame = pd.read_csv(path, sep='\\t', na_values=['n/a'], keep_default_na=False, low_memory=False)
    for column in frame.columns:
        cells = frame[column].dropna()
        if column == 'date':
            frame[column] = pd.to_datetime(frame[column], format='%Y-%m-%d').dt.date
        elif len(cells) > 0 and cells.dtype == object and cells.astype(str).str.fullmatch(INSTANT).all():
            frame[column] = pd.to_datetime(frame[column], utc=True)
    return frame


def _participant(path):
    return next(part for part in path.parts if part.startswith('sub-'))


def _joined(frames):
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def participants():
    return _table(HERE / 'participants.tsv')


def _scans(root):
    frames = []
    for path in sorted(root.glob('sub-*/ses-*/*_scans.tsv')):
        frame = _table(path)
        folder = path.parent.relative_to(HERE).as_posix()
        frame.insert(0, 'participant_id', _participant(path.relative_to(HERE)))
        frame['path'] = folder + '/' + frame['filename']
        frames.append(frame)
    return _joined(frames)


def scans():
    """The files with samples of all sessions; path is that from the folder of the dataset."""
    return _scans(HERE)


def samples(path):
    """The samples of one file of scans(); the first column is seconds after the first sample."""
    file = HERE / path
    if path.endswith('_motion.tsv'):
        channels = _table(Path(str(file).replace('_motion.tsv', '_channels.tsv')))
        return pd.read_csv(file, sep='\\t', header=None, names=list(channels['name']), na_values=['n/a'])
    sidecar = json.loads(Path(str(file).replace('.tsv.gz', '.json')).read_text(encoding='utf-8'))
    return pd.read_csv(file, sep='\\t', header=None, names=sidecar['Columns'], na_values=['n/a'])


def derived(table):
    """A computed table with the rows of all participants."""
    frames = []
    for path in sorted(DERIVED.glob(f'sub-*/beh/*_desc-{table}_beh.tsv')):
        frame = _table(path)
        frame.insert(0, 'participant_id', _participant(path.relative_to(DERIVED)))
        frames.append(frame)
    return _joined(frames)


def beats():
    """Every heartbeat; onset is seconds after acq_time, the start of the recording."""
    frames = []
    files = _scans(DERIVED)
    for place in files.index:
        frame = _table(HERE / files['path'][place])
        for column in ('recording_id', 'acq_time', 'participant_id'):
            frame.insert(0, column, files[column][place])
        frames.append(frame)
    return _joined(frames)
`;

export const BIDS_R = `# Loads this dataset and what Outpost computed of it. Needs R 4.0 or later and no packages.
#
#     source('code/load.R')                    # in the folder of the dataset
#     participants <- load_participants('.')
#     scans <- load_scans('.')                 # one row per file with samples, with the instant of its first one
#     samples <- load_samples(scans$path[1], '.')
#     metrics <- load_derived('metrics', '.')  # also minutes, hrv5min, corrections and uncorrected
#     beats <- load_beats('.')                 # every beat of every recording
#
# Instants that end with Z are UTC (POSIXct), acq_time is the clock of the participant (text), dates are local (Date).

read_tsv <- function(path) {
  frame <- read.delim(path, na.strings = 'n/a', check.names = FALSE, quote = '', comment.char = '',
                      stringsAsFactors = FALSE, encoding = 'UTF-8')
  for (column in names(frame)) {
    cells <- frame[[column]]
    if (column == 'date') frame[[column]] <- as.Date(cells, format = '%Y-%m-%d')
    known <- cells[!is.na(cells)]
    instant <- '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z$'
    if (is.character(cells) && length(known) > 0 && all(grepl(instant, known))) {
      frame[[column]] <- as.POSIXct(sub('Z$', '', cells), format = '%Y-%m-%dT%H:%M:%OS', tz = 'UTC')
    }
  }
  frame
}

# Files have the same columns where they have any rows; a column that is unknown throughout is logical.
bind_rows <- function(frames) if (length(frames) == 0) NULL else do.call(rbind, frames)

load_participants <- function(folder = '.') read_tsv(file.path(folder, 'participants.tsv'))

scans_under <- function(folder, root) {
  files <- list.files(file.path(folder, root), pattern = '_scans[.]tsv$', recursive = TRUE)
  files <- files[grepl('^sub-[^/]+/ses-[^/]+/', files)]
  bind_rows(lapply(files, function(file) {
    frame <- read_tsv(file.path(folder, root, file))
    path <- paste(dirname(file), frame$filename, sep = '/')
    cbind(participant_id = sub('/.*', '', file), frame, path = if (root == '.') path else paste(root, path, sep = '/'))
  }))
}

load_scans <- function(folder = '.') scans_under(folder, '.')

load_samples <- function(path, folder = '.') {
  file <- file.path(folder, path)
  if (grepl('_motion[.]tsv$', path)) {
    names <- read_tsv(sub('_motion[.]tsv$', '_channels.tsv', file))$name
  } else {
    text <- paste(readLines(sub('[.]tsv[.]gz$', '.json', file), encoding = 'UTF-8', warn = FALSE), collapse = ' ')
    columns <- sub('.*"Columns"[^[]*\\\\[([^]]*)\\\\].*', '\\\\1', text)
    names <- gsub('[ "]', '', strsplit(columns, ',')[[1]])
  }
  read.delim(file, header = FALSE, col.names = names, check.names = FALSE, na.strings = 'n/a')
}

load_derived <- function(table, folder = '.') {
  root <- file.path(folder, 'derivatives', 'outpost')
  files <- list.files(root, pattern = paste0('_desc-', table, '_beh[.]tsv$'), recursive = TRUE)
  bind_rows(lapply(files, function(file) {
    cbind(participant_id = sub('/.*', '', file), read_tsv(file.path(root, file)))
  }))
}

load_beats <- function(folder = '.') {
  scans <- scans_under(folder, 'derivatives/outpost')
  if (is.null(scans)) return(NULL)
  bind_rows(lapply(seq_len(nrow(scans)), function(i) {
    frame <- read_tsv(file.path(folder, scans$path[i]))
    place <- scans[rep(i, nrow(frame)), c('participant_id', 'acq_time', 'recording_id')]
    cbind(place, frame, row.names = NULL)
  }))
}
`;
