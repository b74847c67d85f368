#ifndef C_CALLGRIND_H
#define C_CALLGRIND_H

#include <stdbool.h>

/* Requests of a program to callgrind, without valgrind's headers. The instructions of a request are part of valgrind's
 * interface, and have no effect without it. */

/* Whether the program runs under valgrind. */
bool heartwood_callgrind_is_there(void);

/* Starts to count the instructions of this thread from zero. Other threads aren't counted. */
void heartwood_callgrind_begin(void);

/* Stops counting. Must be called by the same thread. */
void heartwood_callgrind_end(void);

/* Writes the count under a label, and resets it to zero. */
void heartwood_callgrind_dump(const char *label);

#endif
