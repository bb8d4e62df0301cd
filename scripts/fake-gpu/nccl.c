// libnccl.so.2 without a GPU: what posenc calls of NCCL's C interface, over sockets of one machine; the rest says that it is not
// supported. Buffers are read and written at once, at any address of the process: that of a tensor of a CPU, or of a device of
// runtime.c, whose memory is the host's. Ranks are processes or threads.
//
//   FAKE_NCCL=FILE       where a line for each rank goes when it leaves: its device, its exchanges, and their bytes
//   FAKE_NCCL_FAILS=N    rank N cannot join
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MOST_RANKS 64
#define MOST_PENDING 16
// nccl.h: ncclResult_t.
enum { SUCCESS, UNHANDLED_CUDA, SYSTEM_ERROR, INTERNAL_ERROR, INVALID_ARGUMENT, INVALID_USAGE, REMOTE_ERROR };
// nccl.h: ncclDataType_t, int8 to bfloat16, and the bytes of each.
static const size_t BYTES[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};

typedef struct { char internal[128]; } Id;
typedef struct {
    int rank, size, device, socket[MOST_RANKS];
    long exchanges;
    size_t sent, received;
} Comm;
struct Pending {
    int is_send, peer;
    char *at;
    size_t left;
    Comm *comm;
};
static __thread struct Pending pending[MOST_PENDING];
static __thread int count, depth;

int ncclGetVersion(int *version) {
    *version = 22809;
    return SUCCESS;
}

const char *ncclGetErrorString(int result) {
    return result == SUCCESS          ? "no error"
           : result == UNHANDLED_CUDA ? "unhandled cuda error (run with NCCL_DEBUG=INFO for details)"
           : result == REMOTE_ERROR   ? "remote process exited or there was a network error"
                                      : "an error of the stand-in for NCCL";
}

int ncclGetUniqueId(Id *id) {
    unsigned long number;
    if (getrandom(&number, sizeof number, 0) != sizeof number) return SYSTEM_ERROR;
    memset(id, 0, sizeof *id);
    snprintf(id->internal, sizeof id->internal, "posenc-fake-nccl-%016lx", number);
    return SUCCESS;
}

// An address in memory, not in the file system.
static socklen_t address(struct sockaddr_un *to, const Id *id, int rank) {
    memset(to, 0, sizeof *to);
    to->sun_family = AF_UNIX;
    int length = snprintf(to->sun_path + 1, sizeof to->sun_path - 1, "%s-%d", id->internal, rank);
    return offsetof(struct sockaddr_un, sun_path) + 1 + length;
}

static int current_device(void) {
    int device = -1;
    int (*get)(int *) = (int (*)(int *))dlsym(RTLD_DEFAULT, "cudaGetDevice");
    return get && get(&device) == 0 ? device : -1;
}

// The connection to a rank that listens already or soon.
static int connect_to(const Id *id, int peer, int own) {
    struct sockaddr_un to;
    socklen_t length = address(&to, id, peer);
    int to_peer = socket(AF_UNIX, SOCK_STREAM, 0);
    for (int tries = 0; connect(to_peer, (void *)&to, length); tries++) {
        if (tries > 30000) return -1;
        usleep(1000);
    }
    return write(to_peer, &own, sizeof own) == sizeof own ? to_peer : -1;
}

int ncclCommInitRank(Comm **comm, int size, Id id, int rank) {
    const char *fails = getenv("FAKE_NCCL_FAILS");
    if (fails && atoi(fails) == rank) return UNHANDLED_CUDA;
    if (size < 1 || size > MOST_RANKS || rank < 0 || rank >= size) return INVALID_ARGUMENT;
    Comm *own = calloc(1, sizeof *own);
    own->rank = rank;
    own->size = size;
    own->device = current_device();
    struct sockaddr_un at;
    socklen_t length = address(&at, &id, rank);
    int door = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(door, (void *)&at, length) || listen(door, MOST_RANKS)) return SYSTEM_ERROR;
    for (int peer = 0; peer < rank; peer++)
        if ((own->socket[peer] = connect_to(&id, peer, rank)) < 0) return REMOTE_ERROR;
    for (int left = size - 1 - rank; left > 0; left--) {
        int from = accept(door, NULL, NULL), peer;
        if (read(from, &peer, sizeof peer) != sizeof peer || peer <= rank || peer >= size) return REMOTE_ERROR;
        own->socket[peer] = from;
    }
    close(door);
    for (int peer = 0; peer < size; peer++)
        if (peer != rank) fcntl(own->socket[peer], F_SETFL, O_NONBLOCK);
    *comm = own;
    return SUCCESS;
}

// Sends or receives what a socket takes or has.
static int advance(struct Pending *of) {
    int peer = of->comm->socket[of->peer];
    ssize_t done = of->is_send ? send(peer, of->at, of->left, MSG_NOSIGNAL) : recv(peer, of->at, of->left, 0);
    if (done > 0) {
        of->at += done;
        of->left -= done;
        return SUCCESS;
    }
    return done < 0 && (errno == EAGAIN || errno == EINTR) ? SUCCESS : REMOTE_ERROR;
}

int ncclGroupStart(void) {
    depth++;
    return SUCCESS;
}

int ncclGroupEnd(void) {
    if (depth == 0) return INVALID_USAGE;
    if (--depth) return SUCCESS;
    int result = SUCCESS;
    while (result == SUCCESS) {
        struct pollfd waits[MOST_PENDING];
        int open = 0, at[MOST_PENDING];
        for (int i = 0; i < count; i++)
            if (pending[i].left) {
                waits[open] = (struct pollfd){pending[i].comm->socket[pending[i].peer], pending[i].is_send ? POLLOUT : POLLIN, 0};
                at[open++] = i;
            }
        if (!open) break;
        poll(waits, open, -1);
        for (int i = 0; i < open && result == SUCCESS; i++)
            if (waits[i].revents) result = advance(&pending[at[i]]);
    }
    count = 0;
    return result;
}

static int add(int is_send, void *buffer, size_t length, int type, int peer, Comm *comm) {
    if (type < 0 || type >= (int)(sizeof BYTES / sizeof *BYTES) || peer < 0 || peer >= comm->size || peer == comm->rank)
        return INVALID_ARGUMENT;
    if (count == MOST_PENDING) return INVALID_USAGE;
    size_t bytes = length * BYTES[type];
    *(is_send ? &comm->sent : &comm->received) += bytes;
    comm->exchanges += is_send;
    ncclGroupStart();
    pending[count++] = (struct Pending){is_send, peer, buffer, bytes, comm};
    return ncclGroupEnd();
}

int ncclSend(const void *buffer, size_t length, int type, int peer, Comm *comm, void *stream) {
    return add(1, (void *)buffer, length, type, peer, comm);
}
int ncclRecv(void *buffer, size_t length, int type, int peer, Comm *comm, void *stream) {
    return add(0, buffer, length, type, peer, comm);
}

int ncclCommAbort(Comm *comm) {
    const char *path = getenv("FAKE_NCCL");
    FILE *out = path ? fopen(path, "a") : NULL;
    if (out) {
        fprintf(out, "rank %d of %d device %d exchanges %ld sent %zu received %zu\n", comm->rank, comm->size, comm->device,
                comm->exchanges, comm->sent, comm->received);
        fclose(out);
    }
    for (int peer = 0; peer < comm->size; peer++)
        if (peer != comm->rank) close(comm->socket[peer]);
    free(comm);
    return SUCCESS;
}

// What libtorch_cuda.so links beside these.
#define NOT_SUPPORTED(name) \
    int name(void) { return INVALID_USAGE; }
NOT_SUPPORTED(ncclAllGather)
NOT_SUPPORTED(ncclAllReduce)
NOT_SUPPORTED(ncclAlltoAll)
NOT_SUPPORTED(ncclBcast)
NOT_SUPPORTED(ncclBroadcast)
NOT_SUPPORTED(ncclCommCount)
NOT_SUPPORTED(ncclCommDeregister)
NOT_SUPPORTED(ncclCommDestroy)
NOT_SUPPORTED(ncclCommFinalize)
NOT_SUPPORTED(ncclCommGetAsyncError)
NOT_SUPPORTED(ncclCommInitAll)
NOT_SUPPORTED(ncclCommInitRankConfig)
NOT_SUPPORTED(ncclCommInitRankScalable)
NOT_SUPPORTED(ncclCommRegister)
NOT_SUPPORTED(ncclCommShrink)
NOT_SUPPORTED(ncclCommSplit)
NOT_SUPPORTED(ncclCommUserRank)
NOT_SUPPORTED(ncclCommWindowDeregister)
NOT_SUPPORTED(ncclCommWindowRegister)
NOT_SUPPORTED(ncclDevCommCreate)
NOT_SUPPORTED(ncclDevCommDestroy)
NOT_SUPPORTED(ncclGetLastError)
NOT_SUPPORTED(ncclGroupSimulateEnd)
NOT_SUPPORTED(ncclMemAlloc)
NOT_SUPPORTED(ncclMemFree)
NOT_SUPPORTED(ncclRedOpCreatePreMulSum)
NOT_SUPPORTED(ncclRedOpDestroy)
NOT_SUPPORTED(ncclReduce)
NOT_SUPPORTED(ncclReduceScatter)
