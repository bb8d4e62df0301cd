// libcublasLt.so.13 without a GPU.
extern void fake_product(void);

static int context;

#define NOTHING(name) \
    int name(void) { return 0; }
#define CREATE(name)          \
    int name(void **handle) { \
        *handle = &context;   \
        return 0;             \
    }

unsigned long cublasLtGetVersion(void) { return 130100; }
int cublasLtMatmul(void) {
    fake_product();
    return 0;
}

// The fields of cublasLtMatmulHeuristicResult_t.
struct Heuristic {
    char algorithm[64];
    unsigned long workspace;
    int state;
    float waves;
    int reserved[4];
};
int cublasLtMatmulAlgoGetHeuristic(void *h, void *d, void *a, void *b, void *c, void *e, void *p, int n,
                                   struct Heuristic *result, int *found) {
    result->workspace = 0;
    result->state = 0;
    result->waves = 1;
    *found = 1;
    return 0;
}

CREATE(cublasLtMatmulDescCreate)
CREATE(cublasLtMatmulPreferenceCreate)
CREATE(cublasLtMatrixLayoutCreate)
NOTHING(cublasLtMatmulDescDestroy)
NOTHING(cublasLtMatmulDescSetAttribute)
NOTHING(cublasLtMatmulPreferenceDestroy)
NOTHING(cublasLtMatmulPreferenceSetAttribute)
NOTHING(cublasLtMatrixLayoutDestroy)
NOTHING(cublasLtMatrixLayoutSetAttribute)
