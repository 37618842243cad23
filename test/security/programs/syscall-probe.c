/*
 * Makes system calls by number, each in a child of its own, and says how the kernel answered. One line of input is
 * "<how> <number> <argument>...", where how is n (the machine's own way), x (x32 bit set) or i (int 0x80); an argument
 * is a number, "b" (an own page of zeroes) or "m" (an address that is never mapped). The answer is one line:
 * "ok", "errno <n>", "signal <n>" or "exit <n>".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define X32_BIT 0x40000000L
/* Answers of children travel as exit codes; errno values above it do not occur here. */
enum { OK = 200, MAX_ERRNO = 199 };

static long call(char how, long nr, const long *a) {
#ifdef __x86_64__
  if (how == 'i') {
    long ret;
    __asm__ volatile("int $0x80" : "=a"(ret) : "a"(nr), "b"(a[0]), "c"(a[1]), "d"(a[2]) : "memory", "r8", "r9", "r10", "r11");
    return (int)ret;
  }
  if (how == 'x') nr |= X32_BIT;
  register long r10 __asm__("r10") = a[3], r8 __asm__("r8") = a[4], r9 __asm__("r9") = a[5];
  long ret;
  /* Inline, so that a child of vfork returns into this frame and no other. */
  __asm__ volatile("syscall" : "=a"(ret) : "a"(nr), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return ret;
#else
  long ret = syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
  return ret == -1 ? -errno : ret;
#endif
}

static void probe(char how, long nr, const long *a) {
  pid_t child = fork();
  if (child < 0) {
    puts("no child");
    return;
  }
  if (child == 0) {
    alarm(1);
    long ret = call(how, nr, a);
    int code = ret < 0 && ret >= -MAX_ERRNO ? (int)-ret : OK;
    call('n', SYS_exit_group, (long[6]){code});
  }
  int status;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) printf("signal %d\n", WTERMSIG(status));
  else if (WEXITSTATUS(status) == OK) puts("ok");
  else if (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) > MAX_ERRNO) printf("exit %d\n", WEXITSTATUS(status));
  else printf("errno %d\n", WEXITSTATUS(status));
}

int main(void) {
  char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char line[512];
  setvbuf(stdout, NULL, _IONBF, 0);
  signal(SIGCHLD, SIG_DFL);
  while (fgets(line, sizeof line, stdin)) {
    char *next = line;
    char how = *strtok_r(next, " \n", &next);
    long nr = atol(strtok_r(NULL, " \n", &next));
    long a[6] = {0};
    for (int i = 0; i < 6; i++) {
      char *word = strtok_r(NULL, " \n", &next);
      if (!word) break;
      a[i] = *word == 'b' ? (long)page : *word == 'm' ? -4096L : (long)strtoull(word, NULL, 0);
      if (*word == '-') a[i] = strtol(word, NULL, 0);
    }
    probe(how, nr, a);
  }
}
