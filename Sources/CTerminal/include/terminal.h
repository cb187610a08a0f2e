#pragma once
/* Sends the signal to the pipe from now on. */
void redbarn_take_signal(int number, int pipe_end);
/* One edited line, to be freed by the caller; NULL at the end of input, or with *interrupted set after Ctrl-C. */
char *redbarn_edit_line(const char *prompt, int *interrupted);
