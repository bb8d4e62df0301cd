// The devices of the stand-in: FAKE_CUDA_DEVICES of them, one by default, each with FAKE_CUDA_GB of memory.
// CUDA_VISIBLE_DEVICES chooses among them and orders them by their numbers, as the real runtime does.
#include <stdio.h>
#include <stdlib.h>

#define MOST_DEVICES 16

struct Devices {
    int count, number[MOST_DEVICES];
};

static struct Devices visible_devices(void) {
    const char *asked = getenv("FAKE_CUDA_DEVICES"), *list = getenv("CUDA_VISIBLE_DEVICES");
    int there = asked ? atoi(asked) : 1;
    if (there > MOST_DEVICES) there = MOST_DEVICES;
    struct Devices found = {0};
    if (!list) {
        while (found.count < there) {
            found.number[found.count] = found.count;
            found.count++;
        }
        return found;
    }
    // The list ends where an entry is not a device.
    while (found.count < MOST_DEVICES) {
        char *end;
        long number = strtol(list, &end, 10);
        if (end == list || number < 0 || number >= there) break;
        found.number[found.count++] = (int)number;
        if (*end != ',') break;
        list = end + 1;
    }
    return found;
}

// From number 2 on devices are of another model, so that a test sees which device a name is of.
static void device_name(char *name, size_t room, int number) {
    snprintf(name, room, "Stand-in %c", number < 2 ? 'A' : 'B');
}

static size_t device_bytes(void) {
    const char *gigabytes = getenv("FAKE_CUDA_GB");
    return (size_t)((gigabytes ? atof(gigabytes) : 80) * (1ull << 30));
}
