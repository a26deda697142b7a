/*
 * Opens an EDF+ or BDF+ file with EDFlib and prints as JSON what it found. Arguments: the file, then sample indexes.
 * Every sample is read; those at the indexes are printed as digital and physical values.
 */
#include <edflib.h>
#include <stdio.h>
#include <stdlib.h>

static void text(const char *bytes) {
  putchar('"');
  for (; *bytes; bytes++) {
    if (*bytes == '"' || *bytes == '\\') printf("\\%c", *bytes);
    else if ((unsigned char)*bytes < 32) printf("\\u%04x", *bytes);
    else putchar(*bytes);
  }
  putchar('"');
}

int main(int count, char **arguments) {
  static struct edf_hdr_struct header;
  if (count < 2) return 2;
  if (edfopen_file_readonly(arguments[1], &header, EDFLIB_READ_ALL_ANNOTATIONS)) {
    printf("{\"error\": %d}\n", header.filetype);
    return 0;
  }
  printf("{\"fileType\": %d, \"start\": \"%04d-%02d-%02dT%02d:%02d:%02d\", \"startSubsecond\": %lld,", header.filetype,
         header.startdate_year, header.startdate_month, header.startdate_day, header.starttime_hour,
         header.starttime_minute, header.starttime_second, header.starttime_subsecond);
  printf("\"recordDuration\": %lld, \"records\": %lld, \"patientCode\": ", header.datarecord_duration,
         header.datarecords_in_file);
  text(header.patientcode);
  printf(", \"sex\": ");
  text(header.gender);
  printf(", \"equipment\": ");
  text(header.equipment);
  printf(", \"additional\": ");
  text(header.recording_additional);
  printf(", \"signals\": [");
  for (int s = 0; s < header.edfsignals; s++) {
    long long samples = header.signalparam[s].smp_in_file;
    int *digital = malloc(sizeof(int) * samples);
    double *physical = malloc(sizeof(double) * samples);
    if (edfread_digital_samples(header.handle, s, samples, digital) != samples) return 3;
    edfrewind(header.handle, s);
    if (edfread_physical_samples(header.handle, s, samples, physical) != samples) return 3;
    printf("%s{\"label\": ", s ? ", " : "");
    text(header.signalparam[s].label);
    printf(", \"unit\": ");
    text(header.signalparam[s].physdimension);
    printf(", \"samples\": %lld, \"samplesPerRecord\": %d, \"at\": [", samples, header.signalparam[s].smp_in_datarecord);
    for (int i = 2; i < count; i++) {
      long long place = atoll(arguments[i]);
      if (place >= samples) printf("%snull", i > 2 ? ", " : "");
      else printf("%s[%d, %.12g]", i > 2 ? ", " : "", digital[place], physical[place]);
    }
    printf("]}");
    free(digital);
    free(physical);
  }
  printf("], \"annotations\": [");
  for (long long a = 0; a < header.annotations_in_file; a++) {
    struct edf_annotation_struct found;
    if (edf_get_annotation(header.handle, a, &found)) return 4;
    printf("%s{\"onset\": %.7f, \"duration\": ", a ? ", " : "", found.onset / (double)EDFLIB_TIME_DIMENSION);
    text(found.duration);
    printf(", \"text\": ");
    text(found.annotation);
    printf("}");
  }
  printf("]}\n");
  return edfclose_file(header.handle) ? 5 : 0;
}
