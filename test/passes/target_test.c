/* Target profiles: shipped ones read, print and read back; bad ones are refused with the line. */
#include <string.h>

#include "bundle.h"
#include "check.h"
#include "vkc.h"

static void test_shipped(const struct vkc_profile *p)
{
    struct vkc_target t = {.name = ""}, back;
    char error[256] = "", text[2048];
    CHECK(vkc_target_parse(p->text, strlen(p->text), &t, error, sizeof error), "%s: %s", p->name, error);
    CHECK(strcmp(t.name, p->name) == 0, "%s is named %s", p->name, t.name);
    CHECK(t.max_invocations >= 128 && t.max_shared_bytes >= 16384 && t.max_bindings >= 4 && t.subgroup_size >= 1 &&
          t.max_groups[0] >= 65535 && t.max_groups[2] >= 65535 && t.max_binding_bytes >= 134217728,
          "%s has less than Vulkan requires", p->name);
    size_t n = vkc_target_print(&t, text, sizeof text);
    CHECK(n > 0 && n < sizeof text && n == strlen(text), "%s: printed %zu", p->name, n);
    vkc_target_baseline(&back);
    CHECK(vkc_target_parse(text, n, &back, error, sizeof error), "%s: %s", p->name, error);
    CHECK(strcmp(back.name, t.name) == 0 && back.features == t.features && back.max_invocations == t.max_invocations &&
          back.max_shared_bytes == t.max_shared_bytes && back.max_bindings == t.max_bindings && back.subgroup_size == t.subgroup_size &&
          memcmp(back.max_groups, t.max_groups, sizeof t.max_groups) == 0 && back.max_binding_bytes == t.max_binding_bytes &&
          back.cpu == t.cpu && back.loop_limit == t.loop_limit,
          "%s changes on the way through its text", p->name);
    CHECK(vkc_target_print(&t, text, 10) == n && strlen(text) == 9, "%s: a short buffer is cut, the length is whole", p->name);
}

static void test_refused(const char *text, const char *wanted)
{
    struct vkc_target t, before;
    char error[256] = "";
    vkc_target_baseline(&t);
    before = t;
    CHECK(!vkc_target_parse(text, strlen(text), &t, error, sizeof error), "accepted: %s", text);
    CHECK(strstr(error, wanted) != NULL, "'%s' lacks '%s'", error, wanted);
    CHECK(memcmp(&t, &before, sizeof t) == 0, "a refused profile changed the target: %s", text);
}

/* One device's profile on another: lower limits, its own schedule, and what is lacking emulated, but only where it can be. */
static void test_run_on(void)
{
    struct vkc_target nvidia, host, t, back;
    char error[256] = "", text[2048];
    CHECK(vkc_target_named("nvidia", &nvidia) && vkc_target_named("lavapipe", &host), "the profiles");
    t = nvidia;
    vkc_target_run_on(&t, &host);
    CHECK(t.features & VKB_FEATURE_FMA && t.emulated == VKB_FEATURE_FMA, "fma is emulated, found %x", t.emulated);
    CHECK(!(t.features & (VKB_FEATURE_COMPARE_32 | VKB_FEATURE_COOPERATIVE_MATRIX)), "features are those of both, found %x", t.features);
    CHECK(t.max_shared_bytes == host.max_shared_bytes && t.max_groups[0] == host.max_groups[0] && t.max_binding_bytes == host.max_binding_bytes &&
          t.max_invocations == 1024 && t.max_bindings == 32 && !t.cpu && t.loop_limit, "limits are the lower ones");
    size_t n = vkc_target_print(&t, text, sizeof text);
    vkc_target_baseline(&back);
    CHECK(strstr(text, "\nemulated = fma\n") && vkc_target_parse(text, n, &back, error, sizeof error) && back.emulated == t.emulated,
          "what is emulated is part of the text: %s\n%s", error, text);
    t = nvidia;
    vkc_target_run_on(&t, &nvidia);
    CHECK(memcmp(&t, &nvidia, sizeof t) == 0, "a profile on itself is itself");
    t = nvidia;
    host.features &= ~(uint32_t)VKB_FEATURE_F64;
    vkc_target_run_on(&t, &host);
    CHECK(t.emulated == 0 && !(t.features & VKB_FEATURE_FMA), "without f64 nothing is emulated");
}

int main(void)
{
    struct vkc_target t;
    char error[256] = "";
    for (const struct vkc_profile *p = vkc_profiles; p->name; p++)
        test_shipped(p);
    CHECK(vkc_target_named("lavapipe", &t) && t.cpu && t.loop_limit, "lavapipe");
    CHECK(!vkc_target_named("nonsense", &t), "nonsense is no profile");
    vkc_target_baseline(&t);
    CHECK(t.features == (VKB_FEATURE_F64 | VKB_FEATURE_I64), "the baseline has f64 and i64, found %x", t.features);
    const char *text = "# all kinds of blanks\n\n  max_bindings=12 # twelve\n\tfeatures = f16 , i8\n";
    CHECK(!vkc_target_parse(text, strlen(text), &t, error, sizeof error) && strstr(error, "line 4: 'i8'"), "%s", error);
    text = "  max_bindings=12 # twelve\r\n\tfeatures = f16 , i64\nfeatures =\nmax_groups = 1, 2 ,3";
    CHECK(vkc_target_parse(text, strlen(text), &t, error, sizeof error) && t.max_bindings == 12 && t.features == 0 && t.max_groups[2] == 3, "%s", error);
    test_run_on();
    test_refused("cpu", "line 1: expected key = value");
    test_refused("\ncpu = yes", "line 2: cpu must be true or false, found 'yes'");
    test_refused("max_invocations = 0", "from 1 to");
    test_refused("max_invocations = 4294967296", "from 1 to 4294967295");
    test_refused("max_invocations = -1", "from 1 to");
    test_refused("max_binding_bytes = 99999999999999999999999", "from 1 to");
    test_refused("max_binding_bytes = 18446744073709551616", "from 1 to");
    test_refused("max_invocations = 18446744073709551617", "from 1 to");
    test_refused("subgroup_size = 0", "from 1 to");
    test_refused("subgroup_size = 48", "a power of two");
    test_refused("max_groups = 1,2", "three numbers");
    test_refused("max_groups = 1,2,3,4", "three numbers");
    test_refused("name =", "1 to 127 characters");
    test_refused("speed = 9", "'speed' is no key");
    CHECK(!vkc_target_parse("cpu\0=", 5, &t, error, sizeof error) && strstr(error, "NUL"), "%s", error);
    CHECK(!vkc_target_parse("cpu = 1", 7, &t, NULL, 0), "an error without room for it");
    return check_report();
}
