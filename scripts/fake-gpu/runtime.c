// libcudart.so.13 without a GPU: what LibTorch's CUDA libraries call of it. `scripts/test-fake-gpu` builds and preloads it.
//
// Device memory is the host's: mapped, counted against a limit, never computed with. Kernels do nothing and are counted by
// name. Copies to the device keep their bytes; copies to the host give zeros, so losses are 0 and no number means anything.
// What is real: dispatch, allocation (LibTorch's caching allocator, out of memory included), order and number of launches,
// uploads, reads back and synchronisations.
//
//   FAKE_CUDA=FILE         where the counts go: a line for each synchronisation, totals and kernels at the end
//   FAKE_CUDA_GB=80        memory of a device
//   FAKE_CUDA_DEVICES, CUDA_VISIBLE_DEVICES: devices.h
//   FAKE_CUDA_SM=80        compute capability: from 90 on LibTorch asks cuDNN for attention, which is not here
#define __CUDA_API_VERSION_INTERNAL
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "devices.h"
#undef cudaGetDeviceProperties

#define OK return cudaSuccess
#define MOST_RANGES (1 << 16)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *out;
static size_t limit;
static struct Devices devices;
static int capability = 80;
static __thread int current;

// --- counts ----------------------------------------------------------------------------------------------------------

struct Kernel {
    const void *host;
    const char *name;
    long launches;
};
static struct Kernel *kernels;
static int kernel_count, kernel_room, kernels_sorted;

static struct {
    long launches, products, memsets, between, uploads_pageable, uploads_pinned, reads, streams, events, devices;
    double upload_bytes, read_bytes;
    size_t used[MOST_DEVICES], peak;
} counts;

static void write_counts(const char *what) {
    if (!out) return;
    fprintf(out,
            "%s launches %ld products %ld memsets %ld between %ld uploads-pageable %ld uploads-pinned %ld upload-bytes %.0f "
            "reads %ld read-bytes %.0f stream-syncs %ld event-syncs %ld device-syncs %ld peak-bytes %zu\n",
            what, counts.launches, counts.products, counts.memsets, counts.between, counts.uploads_pageable,
            counts.uploads_pinned, counts.upload_bytes, counts.reads, counts.read_bytes, counts.streams, counts.events,
            counts.devices, counts.peak);
}

static void at_end(void) {
    if (!out) return;
    write_counts("total");
    for (int i = 0; i < kernel_count; i++)
        if (kernels[i].launches) fprintf(out, "kernel %ld %s\n", kernels[i].launches, kernels[i].name);
    fflush(out);
}

__attribute__((constructor)) static void begin(void) {
    const char *value = getenv("FAKE_CUDA");
    if (value && (out = fopen(value, "a"))) {
        setvbuf(out, NULL, _IOLBF, 0);
        atexit(at_end);
    }
    limit = device_bytes();
    if ((value = getenv("FAKE_CUDA_SM"))) capability = atoi(value);
    devices = visible_devices();
}

// The stand-in for cuBLAS counts its products here.
void fake_product(void) {
    pthread_mutex_lock(&lock);
    counts.products++;
    pthread_mutex_unlock(&lock);
}

// --- memory ----------------------------------------------------------------------------------------------------------

struct Range {
    char *begin;
    size_t length;
    int device; // -1: pinned memory of the host
};
static struct Range ranges[MOST_RANGES];
static int range_count;

static struct Range *find(const void *address) {
    for (int i = range_count; i--;)
        if (ranges[i].begin && (char *)address >= ranges[i].begin && (char *)address < ranges[i].begin + ranges[i].length)
            return &ranges[i];
    return NULL;
}

static cudaError_t take(void **address, size_t length, int device) {
    if (!length) length = 1;
    *address = NULL;
    pthread_mutex_lock(&lock);
    int free_range = 0;
    while (free_range < range_count && ranges[free_range].begin) free_range++;
    int fits = free_range < MOST_RANGES && (device < 0 || counts.used[device] + length <= limit);
    char *memory = fits ? mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                        : MAP_FAILED;
    if (memory != MAP_FAILED) {
        if (free_range == range_count) range_count++;
        ranges[free_range] = (struct Range){memory, length, device};
        if (device >= 0 && (counts.used[device] += length) > counts.peak) counts.peak = counts.used[device];
        *address = memory;
    }
    pthread_mutex_unlock(&lock);
    return *address ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t give_back(void *address) {
    pthread_mutex_lock(&lock);
    struct Range *range = address ? find(address) : NULL;
    if (range) {
        if (range->device >= 0) counts.used[range->device] -= range->length;
        munmap(range->begin, range->length);
        range->begin = NULL;
    }
    pthread_mutex_unlock(&lock);
    OK;
}

cudaError_t cudaMalloc(void **p, size_t n) { return take(p, n, current); }
cudaError_t cudaFree(void *p) { return give_back(p); }
cudaError_t cudaMallocAsync(void **p, size_t n, cudaStream_t s) { return take(p, n, current); }
cudaError_t cudaFreeAsync(void *p, cudaStream_t s) { return give_back(p); }
cudaError_t cudaHostAlloc(void **p, size_t n, unsigned f) { return take(p, n, -1); }
cudaError_t cudaFreeHost(void *p) { return give_back(p); }
cudaError_t cudaHostRegister(void *p, size_t n, unsigned f) { OK; }
cudaError_t cudaHostUnregister(void *p) { OK; }

cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
    *total = limit;
    *available = limit - counts.used[current];
    OK;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *p) {
    memset(attributes, 0, sizeof *attributes);
    pthread_mutex_lock(&lock);
    struct Range *range = find(p);
    attributes->type = !range              ? cudaMemoryTypeUnregistered
                       : range->device < 0 ? cudaMemoryTypeHost
                                           : cudaMemoryTypeDevice;
    attributes->device = range && range->device >= 0 ? range->device : current;
    pthread_mutex_unlock(&lock);
    attributes->devicePointer = attributes->hostPointer = (void *)p;
    OK;
}

static void copy(void *to, const void *from, size_t length) {
    pthread_mutex_lock(&lock);
    struct Range *target = find(to), *source = find(from);
    int to_device = target && target->device >= 0, from_device = source && source->device >= 0;
    if (to_device && from_device) {
        counts.between++;
    } else if (to_device) {
        source ? counts.uploads_pinned++ : counts.uploads_pageable++;
        counts.upload_bytes += length;
        memcpy(to, from, length);
    } else if (from_device) {
        counts.reads++;
        counts.read_bytes += length;
        memset(to, 0, length);
    } else {
        memcpy(to, from, length);
    }
    pthread_mutex_unlock(&lock);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t n, enum cudaMemcpyKind k) {
    copy(to, from, n);
    counts.streams++;
    OK;
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, enum cudaMemcpyKind k, cudaStream_t s) {
    copy(to, from, n);
    OK;
}
cudaError_t cudaMemcpyPeerAsync(void *to, int a, const void *from, int b, size_t n, cudaStream_t s) {
    counts.between++;
    OK;
}
cudaError_t cudaMemcpyToSymbol(const void *s, const void *from, size_t n, size_t at, enum cudaMemcpyKind k) { OK; }
cudaError_t cudaGetSymbolAddress(void **p, const void *symbol) {
    static char room[1 << 16];
    *p = room;
    OK;
}
cudaError_t cudaMemset(void *p, int v, size_t n) { counts.memsets++; OK; }
cudaError_t cudaMemsetAsync(void *p, int v, size_t n, cudaStream_t s) { counts.memsets++; OK; }

// --- kernels: compilers register them by name when a library loads -------------------------------------------------------

void **__cudaRegisterFatBinary(void *binary) { static void *handle; return &handle; }
void __cudaRegisterFatBinaryEnd(void **handle) {}
void __cudaUnregisterFatBinary(void **handle) {}
void __cudaRegisterVar(void **h, char *a, char *b, const char *c, int e, size_t s, int k, int g) {}

void __cudaRegisterFunction(void **h, const char *host, char *device, const char *name, int l, void *t, void *b, void *bd,
                            void *gd, int *w) {
    if (kernel_count == kernel_room) {
        kernel_room = kernel_room ? 2 * kernel_room : 1 << 14;
        kernels = realloc(kernels, kernel_room * sizeof *kernels);
    }
    kernels[kernel_count++] = (struct Kernel){host, strdup(name), 0};
}

static int by_address(const void *a, const void *b) {
    const struct Kernel *x = a, *y = b;
    return x->host < y->host ? -1 : x->host > y->host;
}

static cudaError_t launch(const void *function) {
    pthread_mutex_lock(&lock);
    if (kernels_sorted != kernel_count) {
        qsort(kernels, kernel_count, sizeof *kernels, by_address);
        kernels_sorted = kernel_count;
    }
    struct Kernel wanted = {function, NULL, 0};
    struct Kernel *kernel = kernel_count ? bsearch(&wanted, kernels, kernel_count, sizeof wanted, by_address) : NULL;
    if (kernel) kernel->launches++;
    counts.launches++;
    pthread_mutex_unlock(&lock);
    OK;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function) {
    *kernel = (cudaKernel_t)function;
    OK;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t k, dim3 g, dim3 b, void **a, size_t s, cudaStream_t st) { return launch(k); }
cudaError_t cudaLaunchKernel(const void *f, dim3 g, dim3 b, void **a, size_t s, cudaStream_t st) { return launch(f); }
cudaError_t cudaLaunchCooperativeKernel(const void *f, dim3 g, dim3 b, void **a, size_t s, cudaStream_t st) {
    return launch(f);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *f, void **a) { return launch(f); }

static __thread struct {
    dim3 grid, block;
    size_t shared;
    void *stream;
} pushed;
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream) {
    pushed.grid = grid;
    pushed.block = block;
    pushed.shared = shared;
    pushed.stream = stream;
    return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
    *grid = pushed.grid;
    *block = pushed.block;
    *shared = pushed.shared;
    *(void **)stream = pushed.stream;
    OK;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *f) {
    memset(a, 0, sizeof *a);
    a->maxThreadsPerBlock = 1024;
    a->numRegs = 32;
    a->ptxVersion = a->binaryVersion = capability;
    a->maxDynamicSharedSizeBytes = 163840;
    OK;
}
cudaError_t cudaFuncSetAttribute(const void *f, enum cudaFuncAttribute a, int v) { OK; }
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *f, int b, size_t s) { *n = 8; OK; }
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, const void *f, int b, size_t s, unsigned fl) {
    *n = 8;
    OK;
}

// --- devices: those of an A100's size ------------------------------------------------------------------------------------

cudaError_t cudaGetDeviceCount(int *n) { *n = devices.count; return devices.count ? cudaSuccess : cudaErrorNoDevice; }
cudaError_t cudaGetDevice(int *d) { *d = current; OK; }
cudaError_t cudaSetDevice(int d) {
    if (d < 0 || d >= devices.count) return cudaErrorInvalidDevice;
    current = d;
    OK;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int d) {
    if (d < 0 || d >= devices.count) return cudaErrorInvalidDevice;
    memset(p, 0, sizeof *p);
    device_name(p->name, sizeof p->name, devices.number[d]);
    memset(&p->uuid, devices.number[d] + 1, sizeof p->uuid);
    p->totalGlobalMem = limit;
    p->sharedMemPerBlock = 49152;
    p->regsPerBlock = p->regsPerMultiprocessor = 65536;
    p->warpSize = 32;
    p->maxThreadsPerBlock = p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
    p->maxThreadsDim[2] = 64;
    p->maxGridSize[0] = 2147483647;
    p->maxGridSize[1] = p->maxGridSize[2] = 65535;
    p->totalConstMem = 65536;
    p->major = capability / 10;
    p->minor = capability % 10;
    p->multiProcessorCount = 108;
    p->maxThreadsPerMultiProcessor = 2048;
    p->sharedMemPerMultiprocessor = 167936;
    p->sharedMemPerBlockOptin = 166912;
    p->l2CacheSize = 41943040;
    p->maxBlocksPerMultiProcessor = 32;
    p->unifiedAddressing = p->concurrentKernels = 1;
    p->textureAlignment = 512;
    OK;
}

cudaError_t cudaDeviceGetAttribute(int *v, enum cudaDeviceAttr attribute, int d) {
    switch ((int)attribute) {
    case cudaDevAttrComputeCapabilityMajor: *v = capability / 10; break;
    case cudaDevAttrComputeCapabilityMinor: *v = capability % 10; break;
    case cudaDevAttrMultiProcessorCount: *v = 108; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *v = 166912; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *v = 49152; break;
    case cudaDevAttrMaxThreadsPerBlock: *v = 1024; break;
    case cudaDevAttrWarpSize: *v = 32; break;
    case cudaDevAttrMaxGridDimX: *v = 2147483647; break;
    case cudaDevAttrMaxGridDimY: *v = 65535; break;
    default: *v = 1;
    }
    OK;
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int n, int d) { snprintf(text, n, "0000:%02x:00.0", devices.number[d]); OK; }
cudaError_t cudaDeviceCanAccessPeer(int *can, int a, int b) { *can = 0; OK; }
cudaError_t cudaDriverGetVersion(int *v) { *v = 13000; OK; }
cudaError_t cudaRuntimeGetVersion(int *v) { *v = 13000; OK; }
cudaError_t cudaGetLastError(void) { OK; }
cudaError_t cudaPeekAtLastError(void) { OK; }
const char *cudaGetErrorString(cudaError_t e) {
    return e == cudaErrorMemoryAllocation  ? "out of memory"
           : e == cudaErrorInvalidDevice   ? "invalid device ordinal"
           : e == cudaErrorNoDevice        ? "no CUDA-capable device is detected"
                                           : "an error of the stand-in for CUDA";
}
const char *cudaGetErrorName(cudaError_t e) { return "cudaErrorOfTheStandIn"; }

// --- streams and events: everything has happened when a call returns ------------------------------------------------------

static cudaError_t handle(void **p) {
    *p = malloc(64);
    OK;
}
cudaError_t cudaDeviceSynchronize(void) { counts.devices++; write_counts("device-sync"); OK; }
cudaError_t cudaStreamSynchronize(cudaStream_t s) { counts.streams++; write_counts("stream-sync"); OK; }
cudaError_t cudaEventSynchronize(cudaEvent_t e) { counts.events++; OK; }
cudaError_t cudaStreamQuery(cudaStream_t s) { OK; }
cudaError_t cudaEventQuery(cudaEvent_t e) { OK; }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s, unsigned f, int p) { return handle((void **)s); }
cudaError_t cudaStreamDestroy(cudaStream_t s) { OK; }
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned f) { OK; }
cudaError_t cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t callback, void *data, unsigned f) {
    callback(s, cudaSuccess, data);
    OK;
}
cudaError_t cudaEventCreate(cudaEvent_t *e) { return handle((void **)e); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned f) { return handle((void **)e); }
cudaError_t cudaEventDestroy(cudaEvent_t e) { OK; }
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) { OK; }
cudaError_t cudaEventRecordWithFlags(cudaEvent_t e, cudaStream_t s, unsigned f) { OK; }
cudaError_t cudaEventElapsedTime(float *t, cudaEvent_t a, cudaEvent_t b) { *t = 1; OK; }
cudaError_t cudaStreamIsCapturing(cudaStream_t s, enum cudaStreamCaptureStatus *c) {
    *c = cudaStreamCaptureStatusNone;
    OK;
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t s, enum cudaStreamCaptureStatus *c, unsigned long long *id, cudaGraph_t *g,
                                     const cudaGraphNode_t **d, const cudaGraphEdgeData **e, size_t *n) {
    *c = cudaStreamCaptureStatusNone;
    OK;
}
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *m) { OK; }
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) { *least = 0; *greatest = -5; OK; }
