/* The declarations of the Vulkan API that the runtime uses, so that it compiles without Vulkan's headers. An excerpt of
   vulkan_core.h: copy from there what else is needed. Enumerators that have no use are left out; members and parameters
   never are. test/cli/runtime_test.sh compiles the runtime with Khronos's header, too, and compares the code.
   The calls have C's own convention, which is Vulkan's everywhere but on Windows and 32-bit Android.

   Copyright 2015-2022 The Khronos Group Inc.
   SPDX-License-Identifier: Apache-2.0 */
#ifndef VKR_VK_VULKAN_H
#define VKR_VK_VULKAN_H

#include <stddef.h>
#include <stdint.h>

#define VKAPI_ATTR
#define VKAPI_CALL
#define VK_DEFINE_HANDLE(object) typedef struct object##_T *object;
#if UINTPTR_MAX > 0xffffffffu
#define VK_DEFINE_NON_DISPATCHABLE_HANDLE(object) typedef struct object##_T *object;
#define VK_NULL_HANDLE ((void *)0)
#else
#define VK_DEFINE_NON_DISPATCHABLE_HANDLE(object) typedef uint64_t object;
#define VK_NULL_HANDLE 0
#endif
#define VK_MAKE_API_VERSION(variant, major, minor, patch) \
    ((uint32_t)(variant) << 29 | (uint32_t)(major) << 22 | (uint32_t)(minor) << 12 | (uint32_t)(patch))

#define VK_API_VERSION_1_0 VK_MAKE_API_VERSION(0, 1, 0, 0)
#define VK_API_VERSION_1_1 VK_MAKE_API_VERSION(0, 1, 1, 0)
#define VK_API_VERSION_1_2 VK_MAKE_API_VERSION(0, 1, 2, 0)
#define VK_API_VERSION_1_3 VK_MAKE_API_VERSION(0, 1, 3, 0)
#define VK_FALSE 0U
#define VK_MAX_DESCRIPTION_SIZE 256U
#define VK_MAX_DRIVER_INFO_SIZE 256U
#define VK_MAX_DRIVER_NAME_SIZE 256U
#define VK_MAX_MEMORY_HEAPS 16U
#define VK_MAX_MEMORY_TYPES 32U
#define VK_MAX_PHYSICAL_DEVICE_NAME_SIZE 256U
#define VK_TRUE 1U
#define VK_UUID_SIZE 16U
#define VK_WHOLE_SIZE (~0ULL)
#define VK_EXT_DEBUG_UTILS_EXTENSION_NAME "VK_EXT_debug_utils"
#define VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME "VK_EXT_descriptor_indexing"
#define VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME "VK_EXT_external_memory_host"
#define VK_EXT_MEMORY_BUDGET_EXTENSION_NAME "VK_EXT_memory_budget"
#define VK_EXT_SCALAR_BLOCK_LAYOUT_EXTENSION_NAME "VK_EXT_scalar_block_layout"
#define VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME "VK_EXT_subgroup_size_control"
#define VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME "VK_EXT_validation_features"
#define VK_KHR_8BIT_STORAGE_EXTENSION_NAME "VK_KHR_8bit_storage"
#define VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME "VK_KHR_buffer_device_address"
#define VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME "VK_KHR_driver_properties"
#define VK_KHR_MAINTENANCE_4_EXTENSION_NAME "VK_KHR_maintenance4"
#define VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME "VK_KHR_portability_enumeration"
#define VK_KHR_SHADER_ATOMIC_INT64_EXTENSION_NAME "VK_KHR_shader_atomic_int64"
#define VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME "VK_KHR_shader_float16_int8"
#define VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME "VK_KHR_shader_float_controls"
#define VK_KHR_SHADER_SUBGROUP_EXTENDED_TYPES_EXTENSION_NAME "VK_KHR_shader_subgroup_extended_types"
#define VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME "VK_KHR_timeline_semaphore"
#define VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME "VK_KHR_vulkan_memory_model"
#define VK_MAX_EXTENSION_NAME_SIZE 256U

VK_DEFINE_HANDLE(VkCommandBuffer) VK_DEFINE_HANDLE(VkDevice) VK_DEFINE_HANDLE(VkInstance)
VK_DEFINE_HANDLE(VkPhysicalDevice) VK_DEFINE_HANDLE(VkQueue) VK_DEFINE_NON_DISPATCHABLE_HANDLE(VkBuffer)
VK_DEFINE_NON_DISPATCHABLE_HANDLE(VkBufferView) VK_DEFINE_NON_DISPATCHABLE_HANDLE(VkCommandPool)
VK_DEFINE_NON_DISPATCHABLE_HANDLE(VkDebugUtilsMessengerEXT) VK_DEFINE_NON_DISPATCHABLE_HANDLE(VkDescriptorPool)
VK_DEFINE_NON_DISPATCHABLE_HANDLE(VkDescriptorSet) VK_DEFINE_NON_DISPATCHABLE_HANDLE(VkDescriptorSetLayout)
VK_DEFINE_NON_DISPATCHABLE_HANDLE(VkDeviceMemory) VK_DEFINE_NON_DISPATCHABLE_HANDLE(VkFence)
VK_DEFINE_NON_DISPATCHABLE_HANDLE(VkPipeline) VK_DEFINE_NON_DISPATCHABLE_HANDLE(VkPipelineCache)
VK_DEFINE_NON_DISPATCHABLE_HANDLE(VkPipelineLayout) VK_DEFINE_NON_DISPATCHABLE_HANDLE(VkQueryPool)
VK_DEFINE_NON_DISPATCHABLE_HANDLE(VkSampler) VK_DEFINE_NON_DISPATCHABLE_HANDLE(VkSemaphore)
VK_DEFINE_NON_DISPATCHABLE_HANDLE(VkShaderModule)

typedef uint32_t VkBool32, VkFlags;
typedef uint64_t VkDeviceAddress, VkDeviceSize;
typedef VkFlags VkAccessFlags, VkBufferCreateFlags, VkBufferUsageFlags, VkBufferViewCreateFlags, VkCommandBufferUsageFlags,
    VkCommandPoolCreateFlags, VkCommandPoolResetFlags, VkDebugUtilsMessageSeverityFlagsEXT,
    VkDebugUtilsMessageTypeFlagsEXT, VkDebugUtilsMessengerCallbackDataFlagsEXT, VkDebugUtilsMessengerCreateFlagsEXT,
    VkDependencyFlags, VkDescriptorBindingFlags, VkDescriptorPoolCreateFlags, VkDescriptorSetLayoutCreateFlags,
    VkDeviceCreateFlags, VkDeviceQueueCreateFlags, VkExternalMemoryFeatureFlags, VkExternalMemoryHandleTypeFlags,
    VkFenceCreateFlags, VkInstanceCreateFlags, VkMemoryAllocateFlags, VkMemoryHeapFlags, VkMemoryMapFlags,
    VkMemoryPropertyFlags, VkPipelineCacheCreateFlags, VkPipelineCreateFlags, VkPipelineCreationFeedbackFlags,
    VkPipelineLayoutCreateFlags, VkPipelineShaderStageCreateFlags, VkPipelineStageFlags,
    VkQueryPipelineStatisticFlags, VkQueryPoolCreateFlags, VkQueryResultFlags, VkQueueFlags, VkSampleCountFlags,
    VkSemaphoreCreateFlags, VkSemaphoreWaitFlags, VkShaderModuleCreateFlags, VkShaderStageFlags,
    VkSubgroupFeatureFlags;

#include "enums.h"
#include "structs.h"
#include "calls.h"

#endif
