#include "programs.h"

#include "../front/check.h"
#include "oom.h"

/* Calls the host in a loop of unknown length, in a branch, and with no input. */
static const char callbacks[] =
    "graph \"callbacks\" entry=f0 callbacks=3\n"
    "func f0(f32[300] \"x\", s32[] \"n\") {\n"
    "  n0 = parameter index=0 : f32[300]\n  n1 = parameter index=1 : s32[]\n"
    "  n2 = while n0, n1 regions=[f1,f2] : f32[300], s32[]\n"
    "  n3 = cond n2.0, n1 regions=[f3,f4,f5] : f32[300]\n"
    "  n4 = sum n3 axes=[0] keep=false : f32[]\n  n5 = runtime_call callback=2 seq=0 : s32[4]\n  return n3, n4, n5\n}\n"
    "func f1(f32[300], s32[]) {\n  n0 = parameter index=1 : s32[]\n  n1 = constant bits=00000000 : s32[]\n"
    "  n2 = greater n0, n1 : u8[]\n  return n2\n}\n"
    "func f2(f32[300], s32[]) {\n  n0 = parameter index=0 : f32[300]\n  n1 = parameter index=1 : s32[]\n"
    "  n2 = constant bits=3f000000 : f32[300]\n  n3 = multiply n0, n2 : f32[300]\n"
    "  n4 = runtime_call n3, n1 callback=0 seq=0 : f32[300]\n  n5 = constant bits=00000001 : s32[]\n"
    "  n6 = subtract n1, n5 : s32[]\n  return n4, n6\n}\n"
    "func f3(f32[300], s32[]) {\n  n0 = parameter index=1 : s32[]\n  n1 = constant bits=00000002 : s32[]\n"
    "  n2 = greater n0, n1 : u8[]\n  return n2\n}\n"
    "func f4(f32[300], s32[]) {\n  n0 = parameter index=0 : f32[300]\n"
    "  n1 = hook n0, n0 callback=1 seq=0 hooked=1 : f32[300]\n  return n0\n}\n"
    "func f5(f32[300], s32[]) {\n  n0 = parameter index=0 : f32[300]\n  n1 = negate n0 : f32[300]\n  return n1\n}\n";

struct oom_program oom_programs[OOM_PROGRAMS];

bool oom_graph_read(const char *path, struct oom_program *out)
{
    const char *slash = strrchr(path, '/');
    *out = (struct oom_program){.name = slash ? slash + 1 : path};
    out->graph = read_file(path, &out->size);
    return check_that(&oom_check, out->graph, "%s: cannot be read", path);
}

bool oom_programs_read(void)
{
    char *text = malloc(sizeof callbacks);
    bool ok = check_that(&oom_check, text, "no memory");
    if (ok)
        memcpy(text, callbacks, sizeof callbacks);
    oom_programs[1] = (struct oom_program){"callbacks", true, text, sizeof callbacks - 1};
    return oom_graph_read("test/graphs/rounds_10000.json", &oom_programs[0]) && ok &&
           oom_graph_read("test/graphs/digits_step_sgd.json", &oom_programs[2]);
}

void oom_programs_free(void)
{
    for (int i = 0; i < OOM_PROGRAMS; i++)
        free(oom_programs[i].graph);
}
