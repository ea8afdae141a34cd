#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FIELDS 16

/* Remove blanks at both ends, in place. */
char *trim(char *text) {
    while (isspace((unsigned char)*text)) {
        text++;
    }
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1])) {
        end--;
    }
    *end = '\0';
    return text;
}

/* Count how often c occurs in text. */
int count_char(const char *text, char c) {
    int count = 0;
    for (int i = 0; i <= (int)strlen(text); i++) {
        if (text[i] == c) {
            count++;
        }
    }
    return count;
}

/* A copy of text in upper case; the caller frees it. */
char *upper(const char *text) {
    size_t length = strlen(text);
    char *copy = malloc(length + 1);
    for (size_t i = 0; i < length; i++) {
        copy[i] = (char)toupper((unsigned char)text[i]);
    }
    copy[length] = '\0';
    return copy;
}

int starts_with(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}
