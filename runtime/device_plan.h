/* Choices about devices, from facts alone: which device, which queue family, which memory types,
   which features of the bundle format it has. Pure: nothing here calls Vulkan or reads the
   environment. */
#ifndef VKR_DEVICE_PLAN_H
#define VKR_DEVICE_PLAN_H

#include "bundle.h"
#include "vk.h"

#define DEVICE_MAX_FAMILIES 16u

/* Of every buffer that the runtime makes. */
#define MEMORY_USAGE                                                          \
    (VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |  \
     VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | \
     VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT)

/* Feature structures, as queried; those that the device does not know stay zero. Member order is
   that of feature_rows in device_facts.c. */
struct device_features {
    VkPhysicalDeviceFeatures2 base;
    VkPhysicalDevice16BitStorageFeatures storage16;
    VkPhysicalDevice8BitStorageFeatures storage8;
    VkPhysicalDeviceShaderFloat16Int8Features float16_int8;
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline;
    VkPhysicalDeviceDescriptorIndexingFeatures indexing;
    VkPhysicalDeviceVulkanMemoryModelFeatures memory_model;
    VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures subgroup_types;
    VkPhysicalDeviceScalarBlockLayoutFeatures scalar_layout;
    VkPhysicalDeviceSubgroupSizeControlFeatures subgroup_size;
    VkPhysicalDeviceMaintenance4Features maintenance4;
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR cooperative_matrix;
    VkPhysicalDeviceBufferDeviceAddressFeatures addresses;
    VkPhysicalDeviceShaderBfloat16FeaturesKHR bfloat16;
    VkPhysicalDeviceCooperativeMatrix2FeaturesNV group_matrix;
};

/* All that is known about one physical device. */
struct device_facts {
    uint32_t api_version; /* the lower of the device's and the instance's */
    VkPhysicalDeviceProperties properties;
    char driver[256];     /* name and version, as text */
    VkDriverId driver_id; /* 0 where unknown */
    VkPhysicalDeviceMemoryProperties memory;
    VkQueueFamilyProperties families[DEVICE_MAX_FAMILIES];
    uint32_t nfamilies;
    struct device_features features;
    uint32_t matrices; /* see device_plan_matrices, device_plan_group_matrices */
    VkPhysicalDeviceCooperativeMatrix2PropertiesNV group_matrix; /* zero where unknown */
    VkPhysicalDeviceSubgroupProperties subgroup;
    VkPhysicalDeviceFloatControlsProperties floats;        /* zero where unknown */
    VkPhysicalDeviceDescriptorIndexingProperties indexing; /* zero where unknown */
    uint64_t max_allocation;                               /* bytes of one vkAllocateMemory */
    uint64_t max_buffer;                                   /* bytes of one VkBuffer */
    /* by heap: what this process may still take; 0: not known */
    uint64_t heap_free[VK_MAX_MEMORY_HEAPS];
    /* of the machine's memory, or of what this process may have of it; 0: not known */
    uint64_t host_free;
    /* of memory of the host that it can use, address and size; 0: of none */
    uint64_t import_alignment;
    bool has_portability_subset; /* must be enabled where it exists */
    bool has_creation_feedback;  /* tells pipeline cache hits */
};

/* Which memory type serves which purpose. */
struct memory_choice {
    uint32_t device, upload, readback; /* memory type indices */
    bool is_mapped;                    /* the host sees `device` memory, coherently */
    /* the most bytes to move through the mapping rather than staging */
    uint64_t direct_write, direct_read;
};

/* The index among `facts` of the device named by `want`: an index ("1") or a part of a name,
   letter case ignored; NULL: the first discrete, then integrated, virtual, CPU one.
   VKR_NO_DEVICE names what there is. */
vkr_status device_plan_select(const struct device_facts *facts, uint32_t count, const char *want,
                              uint32_t *out_index, vkr_error *err);

/* The queue family for compute and transfer: with timestamps if any has them. False if there is
   none. */
bool device_plan_family(const struct device_facts *facts, uint32_t *out_family);

/* False if the device has no memory that this runtime can use (a driver's error). */
bool device_plan_memory(const struct device_facts *facts, struct memory_choice *out);

/* Bytes of device memory to take at most, unless the user says otherwise. */
uint64_t device_plan_budget(const struct device_facts *facts);

/* vkb_feature bits that the device has. */
uint32_t device_plan_features(const struct device_facts *facts);

/* Bits 1u << vkb_matrix of what a driver lists. */
uint32_t device_plan_matrices(const VkCooperativeMatrixPropertiesKHR *list, uint32_t count);
/* The same of matrices that a workgroup holds, of any size that the driver's granularity divides;
   the limits are those of the facts. */
uint32_t device_plan_group_matrices(const struct device_facts *facts,
                                    const VkCooperativeMatrixFlexibleDimensionsPropertiesNV *list,
                                    uint32_t count);

/* Whether descriptors of storage buffers may be rewritten in recorded command buffers, for sets
   of up to maxPerStageDescriptorStorageBuffers. */
bool device_plan_has_update_after_bind(const struct device_facts *facts);
/* The same of texels. */
bool device_plan_has_texel_update(const struct device_facts *facts);

/* Clears every feature that the runtime does not enable. */
void device_plan_keep_features(struct device_features *features);

void device_plan_info(const struct device_facts *facts, uint32_t index, vkr_device_info *out);

/* What is missing of what the bundle needs, whichever bodies its kernels have (see bodies.h):
   VKR_UNSUPPORTED with its name. */
vkr_status device_plan_accepts(const vkr_device_info *info, const struct vkb_view *bundle,
                               vkr_error *err);

#endif
