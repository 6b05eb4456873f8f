/* A worker in C: a noisy sum, epsilon = 1 for records in [0, 1]. Compile: cc -O2 -o noisy_sum noisy_sum.c -lm
   With -DNOISE=0.5 it has half the noise, and an audit refutes it. With the argument "doubles" it writes raw doubles. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef NOISE
#define NOISE 1.0
#endif

static uint64_t state;

static double uniform(void) { /* splitmix64, in (0, 1) */
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static double laplace(double scale) {
    double size = -scale * log(uniform());
    return uniform() < 0.5 ? -size : size;
}

int main(int words, char **word) {
    int doubles = words > 1 && strcmp(word[1], "doubles") == 0;
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        unsigned long long seed;
        long count;
        if (sscanf(line, "{\"seed\":%llu,\"count\":%ld,\"data\":[", &seed, &count) != 2) {
            fprintf(stderr, "no request: %.60s\n", line);
            return 2;
        }
        double sum = 0.0;
        char *at = strchr(line, '[') + 1, *end;
        for (double x = strtod(at, &end); end != at; x = strtod(at, &end)) {
            sum += fmin(fmax(x, 0.0), 1.0);
            at = end + (*end == ',');
        }
        state = seed;
        for (long i = 0; i < count; i++) {
            double noisy = sum + laplace(NOISE);
            if (doubles)
                fwrite(&noisy, sizeof noisy, 1, stdout);
            else
                printf("%.17g\n", noisy);
        }
        fflush(stdout);
    }
    return 0;
}
