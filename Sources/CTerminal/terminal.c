#include "terminal.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include <editline/readline.h>

/* Ctrl-C while a line is edited jumps out of readline, which has no other way to give a line up. At all other times a
   signal becomes one byte in a pipe that an ordinary thread reads. Used from one source file, so there is one copy. */
static sigjmp_buf redbarn_edit_jump;
static volatile sig_atomic_t redbarn_editing;
static pthread_t redbarn_edit_thread;
static volatile int redbarn_signal_pipe = -1;

static void redbarn_on_signal(int number) {
    if (number == SIGINT && redbarn_editing) {
        if (!pthread_equal(pthread_self(), redbarn_edit_thread)) {
            pthread_kill(redbarn_edit_thread, number);
            return;
        }
        redbarn_editing = 0;
        siglongjmp(redbarn_edit_jump, 1);
    }
    unsigned char byte = (unsigned char)number;
    if (write(redbarn_signal_pipe, &byte, 1) < 0) return;
}

/* Sends the signal to the pipe from now on. */
void redbarn_take_signal(int number, int pipe_end) {
    struct sigaction action = {0};
    redbarn_signal_pipe = pipe_end;
    action.sa_handler = redbarn_on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(number, &action, NULL);
}

/* One edited line, to be freed by the caller; NULL at the end of input, or with *interrupted set after Ctrl-C. */
char *redbarn_edit_line(const char *prompt, int *interrupted) {
    *interrupted = 0;
    redbarn_edit_thread = pthread_self();
    if (sigsetjmp(redbarn_edit_jump, 1) != 0) {
        *interrupted = 1;
        return NULL;
    }
    redbarn_editing = 1;
    char *line = readline(prompt);
    redbarn_editing = 0;
    return line;
}
