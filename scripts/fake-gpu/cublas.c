// libcublas.so.13 without a GPU: products are counted by the stand-in for the runtime, factorisations do nothing.
extern void fake_product(void);

static int context;

#define PRODUCT(name)   \
    int name(void) {    \
        fake_product(); \
        return 0;       \
    }
#define NOTHING(name) \
    int name(void) { return 0; }
#define OF_EACH_TYPE(kind, name) kind(cublasS##name) kind(cublasD##name) kind(cublasC##name) kind(cublasZ##name)

OF_EACH_TYPE(PRODUCT, gemm_v2)
OF_EACH_TYPE(PRODUCT, gemmStridedBatched)
OF_EACH_TYPE(PRODUCT, gemv_v2)
OF_EACH_TYPE(NOTHING, gelsBatched)
OF_EACH_TYPE(NOTHING, geqrfBatched)
OF_EACH_TYPE(NOTHING, getrfBatched)
OF_EACH_TYPE(NOTHING, getrsBatched)
OF_EACH_TYPE(NOTHING, trsmBatched)
OF_EACH_TYPE(NOTHING, trsm_v2)
PRODUCT(cublasSdot_v2)
PRODUCT(cublasDdot_v2)
PRODUCT(cublasCdotc_v2)
PRODUCT(cublasCdotu_v2)
PRODUCT(cublasZdotc_v2)
PRODUCT(cublasZdotu_v2)
PRODUCT(cublasDotEx)
PRODUCT(cublasGemmEx)
PRODUCT(cublasSgemmEx)
PRODUCT(cublasGemmStridedBatchedEx)

int cublasCreate_v2(void **handle) {
    *handle = &context;
    return 0;
}
NOTHING(cublasDestroy_v2)
NOTHING(cublasSetStream_v2)
NOTHING(cublasSetWorkspace_v2)
NOTHING(cublasSetMathMode)
NOTHING(cublasSetPointerMode_v2)
int cublasGetMathMode(void *handle, int *mode) {
    *mode = 0;
    return 0;
}
int cublasGetPointerMode_v2(void *handle, int *mode) {
    *mode = 0;
    return 0;
}
