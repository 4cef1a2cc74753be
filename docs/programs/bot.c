/* A program for Ludus in C, without a library for JSON: it plays the middle of the menu, in any game.
 *
 *     cc -O2 -o bot bot.c && ludus match connect_four "cmd:./bot" random
 *
 * A quotation mark within a text is written \", so the signs "menu":[ stand nowhere but before the menu.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        char *at = strstr(line, "\"menu\":[");
        if (!at) {
            fprintf(stderr, "told: %.60s\n", line);
            continue;
        }
        at += strlen("\"menu\":[");
        int count = 1;
        for (char *sign = at; *sign != ']'; sign++) count += *sign == ',';
        for (int k = 0; k < count / 2; k++) at = strchr(at, ',') + 1;
        printf("{\"action\":%ld}\n", strtol(at, NULL, 10));
        fflush(stdout);
    }
    free(line);
    return 0;
}
