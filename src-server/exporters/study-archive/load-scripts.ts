/** Scripts in every study archive that load its tables with types, for pandas and for R without packages. */

export const LOAD_PYTHON = `"""Loads the tables of this archive with types.

    import load                      # in the folder of the unpacked archive
    tables = load.tables()           # {'metrics': DataFrame, ...}
    day = load.channels('<subject id>', '<date>')

Times are UTC, dates local to the subject. Needs pandas 1.5 or later.
"""
from pathlib import Path

import pandas as pd

HERE = Path(__file__).resolve().parent


def _read(path, types):
    frame = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[''])
    for column in frame.columns:
        kind = types.get(column, 'text')
        if kind == 'number':
            frame[column] = pd.to_numeric(frame[column])
        elif kind == 'time_ms':
            frame[column] = pd.to_datetime(pd.to_numeric(frame[column]), unit='ms', utc=True)
        elif kind == 'date':
            frame[column] = pd.to_datetime(frame[column], format='%Y-%m-%d').dt.date
        elif kind == 'boolean':
            frame[column] = frame[column].map({'true': True, 'false': False}).astype('boolean')
        elif kind == 'code':
            frame[column] = frame[column].astype('category')
        elif kind == 'list':
            frame[column] = frame[column].map(lambda cell: cell.split(' ') if isinstance(cell, str) else [])
        else:
            frame[column] = frame[column].astype('string')
    return frame


def _types():
    columns = pd.read_csv(HERE / 'columns.csv', dtype=str, keep_default_na=False)
    return {file: dict(zip(rows['column'], rows['type'])) for file, rows in columns.groupby('file')}


def tables():
    """Every table but the channels, by its name without .csv; those for GGIR's scripts as 'ggir/part2_daysummary'."""
    types = _types()
    paths = [path for path in sorted([*HERE.glob('*.csv'), *HERE.glob('ggir/*.csv')]) if path.name != 'columns.csv']
    names = [path.relative_to(HERE).as_posix() for path in paths]
    return {name[: -len('.csv')]: _read(HERE / name, types.get(name, {})) for name in names}


def channels(subject_id, date):
    """The channels of a subject's local day, one row per minute. The date is a date or its text."""
    return _read(HERE / 'channels' / subject_id / f'{date}.csv', _types()['channels/*.csv'])
`;

export const LOAD_R = `# Loads the tables of this archive with types. Needs R 4.0 or later and no packages.
#
#     source('load.R')                       # in the folder of the unpacked archive
#     tables <- load_tables('.')             # list(metrics = data.frame, ...)
#     day <- load_channels('.', '<subject id>', '<date>')
#
# Times are UTC (POSIXct), dates local to the subject (Date), codes factors, lists lists of text.

read_typed <- function(path, types) {
  frame <- read.csv(path, colClasses = 'character', na.strings = '', check.names = FALSE,
                    encoding = 'UTF-8', stringsAsFactors = FALSE)
  for (column in names(frame)) {
    kind <- types[column]
    cells <- frame[[column]]
    if (is.na(kind)) next
    if (kind == 'number') frame[[column]] <- as.numeric(cells)
    if (kind == 'time_ms') frame[[column]] <- as.POSIXct(as.numeric(cells) / 1000, origin = '1970-01-01', tz = 'UTC')
    if (kind == 'date') frame[[column]] <- as.Date(cells, format = '%Y-%m-%d')
    if (kind == 'boolean') frame[[column]] <- cells == 'true'
    if (kind == 'code') frame[[column]] <- factor(cells)
    if (kind == 'list') frame[[column]] <- lapply(strsplit(cells, ' ', fixed = TRUE), function(x) x[!is.na(x)])
  }
  frame
}

column_types <- function(folder, file) {
  columns <- read.csv(file.path(folder, 'columns.csv'), colClasses = 'character', encoding = 'UTF-8')
  rows <- columns[columns$file == file, ]
  setNames(rows$type, rows$column)
}

load_tables <- function(folder = '.') {
  ggir <- list.files(file.path(folder, 'ggir'), pattern = '[.]csv$')
  files <- setdiff(c(list.files(folder, pattern = '[.]csv$'), file.path('ggir', ggir)[seq_along(ggir)]), 'columns.csv')
  tables <- lapply(files, function(file) read_typed(file.path(folder, file), column_types(folder, file)))
  setNames(tables, sub('[.]csv$', '', files))
}

load_channels <- function(folder, subject_id, date) {
  read_typed(file.path(folder, 'channels', subject_id, paste0(date, '.csv')), column_types(folder, 'channels/*.csv'))
}
`;
