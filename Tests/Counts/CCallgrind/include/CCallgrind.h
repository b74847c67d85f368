#ifndef C_CALLGRIND_H
#define C_CALLGRIND_H

#include <stdbool.h>

/* What a program asks of callgrind while it runs under it, without valgrind's headers: the instructions that stand for a
 * request are part of valgrind's interface, and do nothing elsewhere. */

/* Whether the program runs under valgrind. */
bool heartwood_callgrind_is_there(void);

/* From here on the instructions of this thread are counted, from zero; those of other threads aren't. */
void heartwood_callgrind_begin(void);

/* They aren't any more. By the thread that began. */
void heartwood_callgrind_end(void);

/* Writes down what was counted, under a label, and goes back to zero. */
void heartwood_callgrind_dump(const char *label);

#endif
