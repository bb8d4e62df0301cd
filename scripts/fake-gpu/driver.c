// libcuda.so.1 without a GPU: posenc asks it which devices there are, LibTorch for little beside the runtime.
#include <string.h>

#include "devices.h"

#define NOTHING(name) \
    int name(void) { return 0; }
NOTHING(cuCtxSetCurrent)
NOTHING(cuDeviceGetAttribute)
NOTHING(cuDevicePrimaryCtxRetain)
NOTHING(cuFuncGetAttribute)
NOTHING(cuFuncSetAttribute)
NOTHING(cuFuncSetCacheConfig)
NOTHING(cuLaunchCooperativeKernel)
NOTHING(cuLaunchKernel)
NOTHING(cuLinkAddData_v2)
NOTHING(cuLinkComplete)
NOTHING(cuLinkCreate_v2)
NOTHING(cuModuleGetFunction)
NOTHING(cuModuleLoad)
NOTHING(cuModuleLoadData)
NOTHING(cuModuleLoadDataEx)
NOTHING(cuModuleUnload)
NOTHING(cuOccupancyMaxActiveBlocksPerMultiprocessor)
NOTHING(cuPointerGetAttribute)
NOTHING(cuTensorMapEncodeTiled)

int cuCtxGetCurrent(void **context) {
    static int one;
    *context = &one;
    return 0;
}
int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active) {
    *flags = 0;
    *active = 1;
    return 0;
}
int cuGetErrorString(int error, const char **text) {
    *text = "an error of the stand-in for CUDA's driver";
    return 0;
}

int cuInit(unsigned flags) { return visible_devices().count ? 0 : 100; }
int cuDriverGetVersion(int *version) {
    *version = 13000;
    return 0;
}
int cuDeviceGetCount(int *count) {
    *count = visible_devices().count;
    return 0;
}
int cuDeviceGet(int *device, int place) {
    *device = place;
    return place < visible_devices().count ? 0 : 101;
}
int cuDeviceGetName(char *name, int room, int device) {
    device_name(name, room, visible_devices().number[device]);
    return 0;
}
int cuDeviceGetUuid_v2(void *uuid, int device) {
    memset(uuid, visible_devices().number[device] + 1, 16);
    return 0;
}
int cuDeviceTotalMem_v2(size_t *bytes, int device) {
    *bytes = device_bytes();
    return 0;
}
