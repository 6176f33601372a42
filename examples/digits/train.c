/* Trains the network of this folder from C: three bundles and a table of digits in, a loss curve
   out. Needs libvkr and nothing else; it knows the graphs by the names of their inputs only.

   Usage: train init.vkb step.vkb eval.vkb digits.csv loss.svg [epochs] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vkr.h>

enum {
    PIXELS = 64,
    CLASSES = 10,
    TRAIN = 1437,
    TEST = 360,
    BATCH = 32,
    BATCHES = TRAIN / BATCH,
    MOST = 64
};

struct digits {
    float pixels[TRAIN + TEST][PIXELS]; /* 0 to 1 */
    int label[TRAIN + TEST];
};

/* A loaded bundle with what it is called with. */
struct call {
    vkr_program *program;
    uint32_t nin, nout;
    vkr_buffer in[MOST], out[MOST];
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(vkr_status status, const vkr_error *err, const char *what)
{
    if (status == VKR_OK)
        return;
    fprintf(stderr, "train: %s: %s: %s\n", what, vkr_status_name(status), err->message);
    exit(1);
}

static void *read_file(const char *path, size_t *out_size)
{
    FILE *f = fopen(path, "rb");
    char *data = NULL;
    long size = -1;
    if (f && fseek(f, 0, SEEK_END) == 0 && (size = ftell(f)) > 0 && fseek(f, 0, SEEK_SET) == 0)
        data = malloc((size_t)size);
    if (!data || fread(data, 1, (size_t)size, f) != (size_t)size) {
        fprintf(stderr, "train: %s: cannot be read\n", path);
        exit(1);
    }
    fclose(f);
    *out_size = (size_t)size;
    return data;
}

/* A digit a line: 64 pixels of 0 to 16, then the label. */
static void read_digits(const char *path, struct digits *d)
{
    FILE *f = fopen(path, "r");
    for (int i = 0; i < TRAIN + TEST; i++) {
        int pixel, ok = f != NULL;
        for (int k = 0; ok && k < PIXELS; k++) {
            ok = fscanf(f, "%d,", &pixel) == 1;
            d->pixels[i][k] = (float)pixel / 16;
        }
        if (!ok || fscanf(f, "%d", &d->label[i]) != 1 || d->label[i] < 0 ||
            d->label[i] >= CLASSES) {
            fprintf(stderr, "train: %s: line %d is not 64 pixels and a label\n", path, i + 1);
            exit(1);
        }
    }
    fclose(f);
}

static void load(vkr_device *device, const char *path, struct call *c)
{
    vkr_error err = {VKR_OK, ""};
    size_t size;
    void *bundle = read_file(path, &size);
    check(vkr_program_load(device, bundle, size, &c->program, &err), &err, path);
    free(bundle);
    c->nin = vkr_program_inputs(c->program);
    c->nout = vkr_program_outputs(c->program);
    if (c->nin > MOST || c->nout > MOST) {
        fprintf(stderr, "train: %s: more than %d inputs or outputs\n", path, MOST);
        exit(1);
    }
}

/* The index of the input of that name. */
static uint32_t input_named(const struct call *c, const char *name)
{
    vkr_tensor_info info;
    for (uint32_t i = 0; i < c->nin; i++)
        if (vkr_program_input(c->program, i, &info, NULL) == VKR_OK && strcmp(info.name, name) == 0)
            return i;
    fprintf(stderr, "train: no input is named %s\n", name);
    exit(1);
}

static void run(struct call *c)
{
    vkr_error err = {VKR_OK, ""};
    memset(c->out, 0, sizeof c->out);
    check(vkr_run(c->program, c->in, c->nin, c->out, c->nout, NULL, &err), &err, "vkr_run");
}

static float read_scalar(vkr_device *device, vkr_buffer buffer)
{
    vkr_error err = {VKR_OK, ""};
    float value = 0;
    check(vkr_buffer_read(device, buffer, 0, &value, sizeof value, &err), &err, "vkr_buffer_read");
    return value;
}

/* Puts the training digits in another order (Fisher and Yates, xorshift). */
static void shuffle(int order[TRAIN], uint64_t *random)
{
    for (int i = TRAIN - 1; i > 0; i--) {
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        int j = (int)(*random % (uint64_t)(i + 1)), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

/* The batches of one epoch, each in buffers of its own. */
struct batches {
    vkr_buffer x[BATCHES], y[BATCHES];
};

static void upload_batches(vkr_device *device, const struct digits *d, const int order[TRAIN],
                           struct batches *b)
{
    for (int k = 0; k < BATCHES; k++) {
        float x[BATCH][PIXELS], y[BATCH][CLASSES] = {{0}};
        vkr_error err = {VKR_OK, ""};
        for (int i = 0; i < BATCH; i++) {
            int digit = order[k * BATCH + i];
            memcpy(x[i], d->pixels[digit], sizeof x[i]);
            y[i][d->label[digit]] = 1;
        }
        if (b->x[k]) {
            check(vkr_buffer_upload_into(device, b->x[k], x, sizeof x, &err), &err, "upload");
            check(vkr_buffer_upload_into(device, b->y[k], y, sizeof y, &err), &err, "upload");
        } else {
            check(vkr_buffer_create(device, x, sizeof x, &b->x[k], &err), &err, "upload");
            check(vkr_buffer_create(device, y, sizeof y, &b->y[k], &err), &err, "upload");
        }
    }
}

/* The parameters are the step's inputs of the same names. */
static float test_accuracy(vkr_device *device, const struct call *step, struct call *eval)
{
    vkr_tensor_info info;
    for (uint32_t i = 0; i < eval->nin; i++)
        if (vkr_program_input(eval->program, i, &info, NULL) == VKR_OK &&
            strncmp(info.name, "params", 6) == 0)
            eval->in[i] = step->in[input_named(step, info.name)];
    run(eval);
    float accuracy = read_scalar(device, eval->out[0]);
    vkr_buffer_free(device, eval->out[0], NULL);
    return accuracy;
}

static void write_svg(const char *path, const float *loss, int count)
{
    FILE *f = fopen(path, "w");
    float most = 0;
    for (int i = 0; i < count; i++)
        most = loss[i] > most ? loss[i] : most;
    if (!f) {
        fprintf(stderr, "train: %s: cannot be written\n", path);
        exit(1);
    }
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 360\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"720\" height=\"360\" fill=\"white\"/>\n"
            "<path d=\"M50 20V320H700\" fill=\"none\" stroke=\"black\"/>\n"
            "<text x=\"375\" y=\"350\" text-anchor=\"middle\">step (%d in all)</text>\n"
            "<text x=\"45\" y=\"25\" text-anchor=\"end\">%.2f</text>\n"
            "<text x=\"45\" y=\"324\" text-anchor=\"end\">0</text>\n"
            "<text x=\"375\" y=\"15\" text-anchor=\"middle\">loss of each batch</text>\n"
            "<polyline fill=\"none\" stroke=\"#36c\" points=\"",
            count, (double)most);
    for (int i = 0; i < count; i++)
        fprintf(f, "%.1f,%.1f ", 50 + 650.0 * i / count, 320 - 300.0 * (double)(loss[i] / most));
    fprintf(f, "\"/>\n</svg>\n");
    fclose(f);
}

int main(int argc, char **argv)
{
    static struct digits digits;
    static struct call init, step, eval;
    static struct batches batches;
    vkr_device *device;
    vkr_device_info about;
    vkr_error err = {VKR_OK, ""};
    int order[TRAIN], epochs = argc == 7 ? atoi(argv[6]) : 40, steps = 0;
    if (argc < 6 || epochs < 1) {
        fprintf(stderr, "usage: train init.vkb step.vkb eval.vkb digits.csv loss.svg [epochs]\n");
        return 2;
    }
    read_digits(argv[4], &digits);
    check(vkr_device_open(NULL, &device, &err), &err, "no device");
    vkr_device_get_info(device, &about);
    printf("device: %s (%s)\n", about.name, about.driver);
    double start = now();
    load(device, argv[1], &init);
    load(device, argv[2], &step);
    load(device, argv[3], &eval);

    /* init gives parameters and optimizer state, in the order in which step takes them */
    run(&init);
    memcpy(step.in, init.out, init.nout * sizeof *init.out);
    uint32_t x = input_named(&step, "x"), y = input_named(&step, "y"), loss_at = step.nout - 1;
    check(vkr_buffer_create(device, digits.pixels[TRAIN], sizeof digits.pixels[0] * TEST,
                            &eval.in[input_named(&eval, "x")], &err),
          &err, "upload");
    check(vkr_buffer_create(device, &digits.label[TRAIN], sizeof digits.label[0] * TEST,
                            &eval.in[input_named(&eval, "labels")], &err),
          &err, "upload");
    printf("loaded in %.0f ms; accuracy before training: %.1f %%\n", 1e3 * (now() - start),
           100 * (double)test_accuracy(device, &step, &eval));

    for (int i = 0; i < TRAIN; i++)
        order[i] = i;
    uint64_t random = 88172645463325252u, submits = 0;
    double seconds = 0;
    float accuracy = 0, *curve = calloc((size_t)epochs * BATCHES, sizeof *curve);
    if (!curve)
        return 1;
    for (int epoch = 1; epoch <= epochs; epoch++) {
        vkr_buffer losses[BATCHES];
        vkr_counters before, after;
        shuffle(order, &random);
        upload_batches(device, &digits, order, &batches);
        vkr_device_wait(device, NULL);
        vkr_device_counters(device, &before);
        start = now();
        for (int k = 0; k < BATCHES; k++) {
            step.in[x] = batches.x[k];
            step.in[y] = batches.y[k];
            run(&step);
            /* parameters and state are donated: the outputs are the next inputs; one that could
               not take its input's place leaves that to be freed */
            for (uint32_t i = 0; i < loss_at; i++) {
                if (step.in[i] != step.out[i])
                    vkr_buffer_free(device, step.in[i], NULL);
                step.in[i] = step.out[i];
            }
            losses[k] = step.out[loss_at];
        }
        check(vkr_device_wait(device, &err), &err, "training");
        seconds += epoch > 1 || epochs == 1 ? now() - start : 0;
        vkr_device_counters(device, &after);
        submits += after.submits - before.submits;
        double sum = 0;
        for (int k = 0; k < BATCHES; k++) {
            sum += (double)(curve[steps++] = read_scalar(device, losses[k]));
            vkr_buffer_free(device, losses[k], NULL);
        }
        accuracy = test_accuracy(device, &step, &eval);
        printf("epoch %2d  loss %.5f  test accuracy %.1f %%\n", epoch, sum / BATCHES,
               100 * (double)accuracy);
    }
    vkr_program_info info;
    vkr_program_get_info(step.program, &info);
    printf("%.1f %% of the last %d digits; %u kernels and %.2f submits a step, %.0f us a step\n",
           100 * (double)accuracy, TEST, info.dispatches, (double)submits / steps,
           1e6 * seconds / (steps - (epochs > 1 ? BATCHES : 0)));
    write_svg(argv[5], curve, steps);
    free(curve);
    vkr_program_unload(init.program);
    vkr_program_unload(step.program);
    vkr_program_unload(eval.program);
    vkr_device_close(device);
    if (accuracy < 0.9f) {
        fprintf(stderr, "train: less than 90 %%\n");
        return 1;
    }
    return 0;
}
