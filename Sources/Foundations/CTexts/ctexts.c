#include "CTexts.h"

#include <string.h>

// #embed compiles quickly. The Swift compiler takes ten seconds for an array literal of 100,000 numbers.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t english[] = {
#embed "../Localization/Texts/en.json"
};

static const uint8_t german[] = {
#embed "../Localization/Texts/de.json"
};

static const struct {
    const char *language;
    const uint8_t *bytes;
    size_t length;
} files[] = {
    {"en", english, sizeof english},
    {"de", german, sizeof german},
};

const uint8_t *ctexts_of(const char *language, size_t *length) {
    for (size_t place = 0; place < sizeof files / sizeof files[0]; place++) {
        if (strcmp(files[place].language, language) == 0) {
            *length = files[place].length;
            return files[place].bytes;
        }
    }
    return NULL;
}
