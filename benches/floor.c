/* The least that a program must do for what memdir does: no library, no parsing, no history. `cargo bench --bench scale`
 * compiles it (cc -O2 -static -pthread) and prints how much longer memdir takes.
 *
 *   floor start                     nothing
 *   floor list DIR                  open each file of DIR/facts, read its first 4 KiB, print its summary, sorted
 *   floor search DIR WORD           read each file, print each line that contains WORD byte by byte
 *   floor read FILE                 copy a file to stdout
 *   floor add FILE TEXT             lock, read, write a new file with one bullet more, sync, keep the old one, rename, sync
 *   floor time OUT COMMAND...       run COMMAND with its output in OUT; print wall and processor time in µs, peak KiB
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { HEAD_BYTES = 4096, CHUNK = 32, PARALLEL_FROM = 256 };

static char **names, **answers;
static size_t count, *lengths;
static int dir, next_file, only_heads;
static const char *word;

static void fail(const char *what) { perror(what); exit(1); }

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void list_names(const char *root) {
    char path[4096];
    snprintf(path, sizeof path, "%s/facts", root);
    dir = open(path, O_RDONLY | O_DIRECTORY);
    DIR *entries = fdopendir(dup(dir));
    if (!entries) fail(path);
    size_t room = 0;
    for (struct dirent *entry; (entry = readdir(entries));) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 3, ".md")) continue;
        if (count == room) names = realloc(names, (room = room ? room * 2 : 1024) * sizeof *names);
        names[count++] = strdup(entry->d_name);
    }
    qsort(names, count, sizeof *names, by_name);
    answers = calloc(count, sizeof *answers);
    lengths = calloc(count, sizeof *lengths);
}

/* Reads a whole file; the buffer ends with a zero. */
static size_t read_all(int file, char **buffer, size_t *room) {
    struct stat stat;
    fstat(file, &stat);
    if (*room < (size_t)stat.st_size + 1) *buffer = realloc(*buffer, *room = stat.st_size + 1);
    size_t length = 0;
    for (ssize_t n; length < *room - 1 && (n = read(file, *buffer + length, *room - 1 - length)) > 0;) length += n;
    (*buffer)[length] = 0;
    return length;
}

static void head(size_t i, int file) {
    char buffer[HEAD_BYTES + 1];
    struct stat stat;
    fstat(file, &stat);
    ssize_t length = read(file, buffer, HEAD_BYTES);
    buffer[length < 0 ? 0 : length] = 0;
    char *summary = strstr(buffer, "\n> Summary: ");
    summary = summary ? summary + 12 : buffer + (length < 0 ? 0 : length);
    lengths[i] = asprintf(&answers[i], "%s (%ld): %.*s\n", names[i], (long)stat.st_size, (int)strcspn(summary, "\n"), summary);
}

static void search(size_t i, int file, char **buffer, size_t *room) {
    size_t length = read_all(file, buffer, room), word_length = strlen(word);
    char *end = *buffer + length;
    for (char *at = *buffer; (at = memmem(at, end - at, word, word_length));) {
        char *start = memrchr(*buffer, '\n', at - *buffer), *stop = memchr(at, '\n', end - at);
        start = start ? start + 1 : *buffer;
        stop = stop ? stop : end;
        answers[i] = realloc(answers[i], lengths[i] + strlen(names[i]) + (stop - start) + 3);
        lengths[i] += sprintf(answers[i] + lengths[i], "%s:%.*s\n", names[i], (int)(stop - start), start);
        at = stop;
    }
}

static void *read_files(void *unused) {
    char *buffer = NULL;
    size_t room = 0;
    for (;;) {
        size_t from = __atomic_fetch_add(&next_file, CHUNK, __ATOMIC_RELAXED);
        if (from >= count) return unused;
        for (size_t i = from; i < from + CHUNK && i < count; i++) {
            int file = openat(dir, names[i], O_RDONLY);
            if (file < 0) continue;
            if (only_heads) head(i, file);
            else search(i, file, &buffer, &room);
            close(file);
        }
    }
}

static void map_files(void) {
    pthread_t other;
    int parallel = count >= PARALLEL_FROM;
    if (parallel) pthread_create(&other, NULL, read_files, NULL);
    read_files(NULL);
    if (parallel) pthread_join(other, NULL);
    static char out[1 << 20];
    setvbuf(stdout, out, _IOFBF, sizeof out);
    for (size_t i = 0; i < count; i++) fwrite(answers[i] ? answers[i] : "", 1, lengths[i], stdout);
    fflush(stdout);
}

static void copy(const char *path) {
    static char buffer[1 << 17];
    int file = open(path, O_RDONLY);
    for (ssize_t n; (n = read(file, buffer, sizeof buffer)) > 0;)
        if (write(1, buffer, n) != n) fail("stdout");
}

static void add(const char *path, const char *text) {
    char other[4200], *buffer = NULL;
    size_t room = 0;
    snprintf(other, sizeof other, "%s.lock", path);
    flock(open(other, O_RDWR | O_CREAT | O_CLOEXEC, 0600), LOCK_EX);
    int file = open(path, O_RDONLY);
    size_t length = read_all(file, &buffer, &room), added = strlen(text) + 3;
    buffer = realloc(buffer, length + added + 1);
    sprintf(buffer + length, "- %s\n", text);
    snprintf(other, sizeof other, "%s.new", path);
    int new = open(other, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (write(new, buffer, length + added) != (ssize_t)(length + added) || fsync(new)) fail(other);
    char old[4200], folder[4200];
    snprintf(old, sizeof old, "%s.%d.old", path, getpid());
    if (link(path, old) || rename(other, path)) fail(path);
    snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = 0;
    fsync(open(folder, O_RDONLY | O_DIRECTORY));
}

static long micros(struct timeval t) { return t.tv_sec * 1000000L + t.tv_usec; }

static int measure(const char *out, char **command) {
    struct timespec start, end;
    struct rusage used;
    int status;
    clock_gettime(CLOCK_MONOTONIC, &start);
    pid_t child = vfork();
    if (!child) {
        int to = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600), none = open("/dev/null", O_RDWR);
        dup2(none, 0), dup2(to, 1), dup2(none, 2);
        execv(command[0], command);
        _exit(127);
    }
    wait4(child, &status, 0, &used);
    clock_gettime(CLOCK_MONOTONIC, &end);
    long wall = (end.tv_sec - start.tv_sec) * 1000000L + (end.tv_nsec - start.tv_nsec) / 1000;
    printf("%ld %ld %ld\n", wall, micros(used.ru_utime) + micros(used.ru_stime), used.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int main(int words, char **argv) {
    const char *what = words > 1 ? argv[1] : "start";
    if (!strcmp(what, "time") && words > 3) return measure(argv[2], argv + 3);
    if (!strcmp(what, "read") && words > 2) copy(argv[2]);
    if (!strcmp(what, "add") && words > 3) add(argv[2], argv[3]);
    if (!strcmp(what, "list") && words > 2) list_names(argv[2]), only_heads = 1, map_files();
    if (!strcmp(what, "search") && words > 3) list_names(argv[2]), word = argv[3], map_files();
    return 0;
}
